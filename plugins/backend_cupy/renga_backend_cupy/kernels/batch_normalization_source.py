"""The source of batch normalization with ReLU: two kernels forward, two backward, without atomic additions.

Images are ``(examples, channels, inner)``, or with LAST ``(examples, channels)``, where each pixel is an example. A
block of X x Y threads has one channel, or with LAST the channels of X threads, and V neighbours are read at once. It
visits one part of the examples: block ``blockIdx.y`` of ``gridDim.y``. The first kernel sums its part; the second adds
the sums of all parts in a fixed order, and so each block knows the statistics of its channels.
"""

from __future__ import annotations

from renga_backend_cupy.kernels.rows import THREADS

__all__ = ["SOURCE"]

SOURCE = """
template <class T, int V> struct alignas(sizeof(T) * V) Vector { T of[V]; };

template <class T, int V> static __device__ Vector<T, V> load(const T* from) { return *(const Vector<T, V>*)from; }

struct Two {
  float first, second;
};

struct Images {
  int examples, channels, inner;
};

template <bool LAST, int V> static __device__ int first_channel() {
  return LAST ? (int)(blockIdx.x * blockDim.x + threadIdx.x) * V : (int)blockIdx.x;
}

// Call `f` with the index of each vector of this thread.
template <bool LAST, int V, class F> static __device__ void visit(const Images& images, F f) {
  const int channel = first_channel<LAST, V>();
  if (channel >= images.channels) return;
  for (int n = blockIdx.y * blockDim.y + threadIdx.y; n < images.examples; n += gridDim.y * blockDim.y) {
    const int start = (n * images.channels + channel) * (LAST ? 1 : images.inner);
    if (LAST) f(start);
    else for (int k = threadIdx.x * V; k < images.inner; k += blockDim.x * V) f(start + k);
  }
}
"""
SOURCE += f"""
// The sum over the threads of a channel, in the same order each time; all of them get it.
template <bool LAST> static __device__ Two joined_of_channel(const Two& mine) {{
  __shared__ Two held[{THREADS}];
  const int x = threadIdx.x, y = threadIdx.y, width = blockDim.x;
  __syncthreads();
  held[y * width + x] = mine;
  __syncthreads();
  for (int half = blockDim.y / 2; half > 0; half /= 2) {{
    if (y < half) {{
      held[y * width + x].first += held[(y + half) * width + x].first;
      held[y * width + x].second += held[(y + half) * width + x].second;
    }}
    __syncthreads();
  }}
  for (int half = LAST ? 0 : width / 2; half > 0; half /= 2) {{
    if (y == 0 && x < half) {{
      held[x].first += held[x + half].first;
      held[x].second += held[x + half].second;
    }}
    __syncthreads();
  }}
  return held[LAST ? x : 0];
}}
"""
SOURCE += """
// The sums of all parts, ``(count, channels)``, for each channel of this thread.
template <bool LAST, int V> static __device__ void merge(
    const Two* parts, int count, const Images& images, Two* sums) {
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) {
    const int channel = first_channel<LAST, V>() + lane;
    Two sum;
    sum.first = 0, sum.second = 0;
    const int begin = LAST ? threadIdx.y : threadIdx.y * blockDim.x + threadIdx.x;
    const int step = LAST ? blockDim.y : blockDim.x * blockDim.y;
    for (int part = begin; channel < images.channels && part < count; part += step) {
      sum.first += parts[part * images.channels + channel].first;
      sum.second += parts[part * images.channels + channel].second;
    }
    sums[lane] = joined_of_channel<LAST>(sum);
  }
}

// Sum up for each channel, and write the sums of this part.
template <bool LAST, int V> static __device__ void finish(Two* sums, Two* parts, const Images& images) {
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) {
    const int channel = first_channel<LAST, V>() + lane;
    const Two sum = joined_of_channel<LAST>(sums[lane]);
    if (threadIdx.y == 0 && (LAST || threadIdx.x == 0) && channel < images.channels) {
      parts[blockIdx.y * images.channels + channel] = sum;
    }
  }
}

// The mean of eight elements of the channel: deviations from it are small, however large the mean is.
template <bool LAST, class T> static __device__ float pivot(const T* x, const Images& images, int channel) {
  const int inner = LAST ? 1 : images.inner;
  const long long size = (long long)images.examples * inner;
  float sum = 0;
  for (int sample = 0; sample < 8; ++sample) {
    const int at = (int)(size * sample / 8);
    sum += (float)x[(at / inner * images.channels + channel) * inner + at % inner];
  }
  return sum / 8;
}

// Sums of deviations from the pivot and of their squares.
template <class T, bool LAST, int V> static __device__ void moments(const T* x, Two* parts, const Images& images) {
  Two sums[LAST ? V : 1];
  float pivots[LAST ? V : 1];
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) {
    const int channel = first_channel<LAST, V>() + lane;
    sums[lane].first = 0, sums[lane].second = 0;
    pivots[lane] = channel < images.channels ? pivot<LAST>(x, images, channel) : 0;
  }
  visit<LAST, V>(images, [&](int at) {
    const Vector<T, V> numbers = load<T, V>(x + at);
    for (int j = 0; j < V; ++j) {
      const float deviation = (float)numbers.of[j] - pivots[LAST ? j : 0];
      sums[LAST ? j : 0].first += deviation;
      sums[LAST ? j : 0].second += deviation * deviation;
    }
  });
  finish<LAST, V>(sums, parts, images);
}

// The result before ReLU and without a residual; backward computes the same bits.
static __device__ float normalized(float x, float mean, float scale, float shift) {
  return fmaf(x - mean, scale, shift);
}

// statistics: mean, variance, one over the deviation, and beta, each of all channels.
template <class T, bool LAST, int V> static __device__ void apply(
    const T* x, const float* gamma, const float* beta, const T* residual, bool added, const Two* parts, int count, T* y,
    float* statistics, double eps, const Images& images) {
  Two sums[LAST ? V : 1];
  merge<LAST, V>(parts, count, images, sums);
  float mean[LAST ? V : 1], scale[LAST ? V : 1], shift[LAST ? V : 1];
  const float share = 1 / ((float)images.examples * images.inner);
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) {
    const int channel = first_channel<LAST, V>() + lane;
    if (channel >= images.channels) continue;
    const float deviation = sums[lane].first * share;
    const float spread = sums[lane].second * share - deviation * deviation, var = spread < 0 ? 0 : spread;
    const float inv_std = 1 / sqrtf(var + (float)eps);
    mean[lane] = pivot<LAST>(x, images, channel) + deviation;
    scale[lane] = gamma[channel] * inv_std;
    shift[lane] = beta[channel];
    if (blockIdx.y == 0 && threadIdx.y == 0 && (LAST || threadIdx.x == 0)) {
      statistics[channel] = mean[lane];
      statistics[images.channels + channel] = var;
      statistics[2 * images.channels + channel] = inv_std;
      statistics[3 * images.channels + channel] = shift[lane];
    }
  }
  visit<LAST, V>(images, [&](int at) {
    const Vector<T, V> numbers = load<T, V>(x + at);
    Vector<T, V> others, results;
    if (added) others = load<T, V>(residual + at);
    for (int j = 0; j < V; ++j) {
      const int lane = LAST ? j : 0;
      float v = normalized((float)numbers.of[j], mean[lane], scale[lane], shift[lane]);
      if (added) v += (float)others.of[j];
      results.of[j] = (T)(v < 0 ? 0.0f : v);
    }
    *(Vector<T, V>*)(y + at) = results;
  });
}

// What is needed of a channel in backward.
struct Channel {
  float mean, inv_std, scale, shift;
  __device__ Channel() {}
  __device__ Channel(const float* statistics, const float* gamma, const Images& images, int channel)
    : mean(statistics[channel]),
      inv_std(statistics[2 * images.channels + channel]),
      scale(gamma[channel] * inv_std),
      shift(statistics[3 * images.channels + channel]) {}
  __device__ bool passes(float x) const { return normalized(x, mean, scale, shift) > 0; }
};

template <bool LAST, int V> static __device__ void channels_of(
    const float* statistics, const float* gamma, const Images& images, Channel* channels) {
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) {
    const int channel = first_channel<LAST, V>() + lane;
    if (channel < images.channels) channels[lane] = Channel(statistics, gamma, images, channel);
  }
}

// Sums of the gradient that passes ReLU, and of it times the deviation from the mean. With a residual, y says where it
// passes, and that gradient is written: it is the residual's.
template <class T, bool LAST, int V> static __device__ void gradient_sums(
    const T* x, const T* y, const T* gy, const float* gamma, const float* statistics, T* gresidual, bool added,
    Two* parts, const Images& images) {
  Channel channels[LAST ? V : 1];
  channels_of<LAST, V>(statistics, gamma, images, channels);
  Two sums[LAST ? V : 1];
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) sums[lane].first = 0, sums[lane].second = 0;
  visit<LAST, V>(images, [&](int at) {
    const Vector<T, V> numbers = load<T, V>(x + at);
    Vector<T, V> gradients = load<T, V>(gy + at), results;
    if (added) results = load<T, V>(y + at);
    for (int j = 0; j < V; ++j) {
      const Channel& channel = channels[LAST ? j : 0];
      const float number = (float)numbers.of[j];
      if (!(added ? (float)results.of[j] > 0 : channel.passes(number))) gradients.of[j] = (T)0.0f;
      sums[LAST ? j : 0].first += (float)gradients.of[j];
      sums[LAST ? j : 0].second += (float)gradients.of[j] * (number - channel.mean);
    }
    if (added) *(Vector<T, V>*)(gresidual + at) = gradients;
  });
  finish<LAST, V>(sums, parts, images);
}

// gradients: of gamma and of beta, each of all channels. gy: with a residual its gradient, which passed ReLU.
template <class T, bool LAST, int V> static __device__ void gradient(
    const T* x, const T* gy, const float* gamma, const float* statistics, const Two* parts, int count, bool added,
    T* gx, float* gradients, const Images& images) {
  Channel channels[LAST ? V : 1];
  channels_of<LAST, V>(statistics, gamma, images, channels);
  Two sums[LAST ? V : 1];
  merge<LAST, V>(parts, count, images, sums);
  const float share = 1 / ((float)images.examples * images.inner);
  for (int lane = 0; lane < (LAST ? V : 1); ++lane) {
    const int channel = first_channel<LAST, V>() + lane;
    if (channel >= images.channels) continue;
    const float ggamma = sums[lane].second * channels[lane].inv_std;
    if (blockIdx.y == 0 && threadIdx.y == 0 && (LAST || threadIdx.x == 0)) {
      gradients[channel] = ggamma;
      gradients[images.channels + channel] = sums[lane].first;
    }
    sums[lane].first *= share;
    sums[lane].second = ggamma * channels[lane].inv_std * share;
  }
  visit<LAST, V>(images, [&](int at) {
    const Vector<T, V> numbers = load<T, V>(x + at), given = load<T, V>(gy + at);
    Vector<T, V> results;
    for (int j = 0; j < V; ++j) {
      const Channel& channel = channels[LAST ? j : 0];
      const Two& sum = sums[LAST ? j : 0];
      const float number = (float)numbers.of[j];
      const float g = added || channel.passes(number) ? (float)given.of[j] : 0.0f;
      results.of[j] = (T)(channel.scale * (g - sum.first - (number - channel.mean) * sum.second));
    }
    *(Vector<T, V>*)(gx + at) = results;
  });
}
"""
