// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole JSON document of a profile, as docs/profile-format.md and docs/profile.schema.json
// describe it. Source texts are read from disk while it is written. Its
// parts, of which the writer tells, are files and stacks.

#include "profile/profile.h"
#include "profile/writer.h"

void document_write(struct writer *writer, const struct profile *profile);
