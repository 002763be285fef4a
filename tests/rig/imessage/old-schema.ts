import { SCHEMA } from "../../../src/bridges/imessage/rehearsal/schema.ts";

/** As much of the tables as macOS 10.13 had, for the columns that came later. */
export const OLD_SCHEMA = SCHEMA.replaceAll(/ thread_originator_(?:guid|part) TEXT,/gu, "")
  .replaceAll(/^CREATE INDEX message_idx_thread_originator_guid.*\n/gmu, "")
  .replace(" associated_message_type INTEGER DEFAULT 0,", "")
  .replace(" attributedBody BLOB,", "");
