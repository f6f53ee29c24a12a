"""Drawings as SVG text, in colours that follow the site's light and dark theme.

A picture uses the theme's CSS variables, with a light colour for each where there is no theme (on a forge). It is 520
units wide, so that its text can be read on a phone.
"""

from __future__ import annotations

from html import escape

__all__ = ["Drawing"]

WIDTH = 520
STYLE = """
.rf text{fill:var(--color-foreground-primary,#1f2328);font:13px system-ui,-apple-system,"Segoe UI",sans-serif}
.rf .bold{font-weight:600}.rf .small{font-size:11.5px}
.rf .muted{fill:var(--color-foreground-secondary,#59636e)}
.rf .code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}
.rf .value{paint-order:stroke;stroke:var(--color-background-primary,#fff);stroke-width:4px}
.rf .ground{fill:var(--color-background-primary,#fff)}
.rf .box{fill:var(--color-background-secondary,#f6f8fa);stroke:var(--color-foreground-border,#9aa4ae);stroke-width:1.2}
.rf .accent{fill:var(--rf-accent-soft,#dbeafe);stroke:var(--rf-accent,#2563eb);stroke-width:1.4}
.rf .line{stroke:var(--color-foreground-secondary,#59636e);stroke-width:1.5;fill:none}
.rf .back{stroke:var(--rf-accent,#2563eb);stroke-width:1.5;fill:none;stroke-dasharray:5 4}
.rf .axis{stroke:var(--color-foreground-border,#9aa4ae);stroke-width:1;stroke-dasharray:2 3}
.rf .head{fill:var(--color-foreground-secondary,#59636e)}.rf .headback{fill:var(--rf-accent,#2563eb)}
.rf .c0{fill:var(--rf-accent,#2563eb)}.rf .c1{fill:#d97706}.rf .c2{fill:#e3b341}
.rf .c3{fill:#4d9a78}.rf .c4{fill:#8b95a1}
"""


class Drawing:
    """A picture that is built shape by shape.

    Args:
        height: In units.
        label: What it shows, for people who do not see it.
    """

    def __init__(self, height: float, label: str) -> None:
        self.height = height
        self.label = label
        self._shapes: list[str] = []

    def text(self, x: float, y: float, text: str, style: str = "", anchor: str = "start") -> None:
        """Write one line; `y` is its base line."""
        self._shapes.append(f'<text x="{x:g}" y="{y:g}" class="{style}" text-anchor="{anchor}">{escape(text)}</text>')

    def bar(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """Fill a rectangle."""
        self._shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:.4g}" height="{height:g}" rx="2" class="{style}"/>'
        )

    def box(self, x: float, y: float, width: float, height: float, *lines: str, style: str = "box") -> None:
        """Draw a box with lines of text in its middle: the first is bold, those in `backticks` are code."""
        self._shapes.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="7" class="{style}"/>')
        top = y + height / 2 - 8.5 * (len(lines) - 1) + 4.5  # of the first line
        for number, line in enumerate(lines):
            kind = "code" if line.startswith("`") else "bold" if number == 0 else "small muted"
            self.text(x + width / 2, top + 17 * number, line.strip("`"), kind, "middle")

    def arrow(self, *points: tuple[float, float], back: bool = False) -> None:
        """Draw a line through points, with a head at its end; dashed if it leads `back`."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        style, head = ("back", "rf-headback") if back else ("line", "rf-head")
        self._shapes.append(f'<polyline points="{path}" class="{style}" marker-end="url(#{head})"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a thin dotted line."""
        self._shapes.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="axis"/>')

    def __str__(self) -> str:
        heads = "".join(
            f'<marker id="rf-{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="{name}"/></marker>'
            for name in ("head", "headback")
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="rf" viewBox="0 0 {WIDTH} {self.height:g}" role="img" '
            f'aria-label="{escape(self.label)}">\n<style>{STYLE}</style>\n<defs>{heads}</defs>\n'
            f'<rect width="{WIDTH}" height="{self.height:g}" class="ground"/>\n'
            + "\n".join(self._shapes)
            + "\n</svg>\n"
        )
