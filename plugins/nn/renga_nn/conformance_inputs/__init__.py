"""What the conformance kits call functions and links with: nothing else imports these modules."""
