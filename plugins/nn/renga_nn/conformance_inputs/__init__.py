"""Arguments of functions and links for the conformance kits. Nothing else imports these modules."""
