import type { Address } from "../../core/message.ts";
import type { OfficeClock } from "../../ports/clock.ts";
import type { BodyFiles } from "../../ports/files.ts";
import type { HookSign } from "../../ports/hook-answers.ts";
import type { Digest, Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Inbox } from "../../ports/program.ts";
import type { Settings } from "../../ports/settings.ts";
import type { Store } from "../../ports/store.ts";
import type { Transcripts } from "../../ports/transcript.ts";
import type { Walking } from "./walk.ts";

/** Everything the office may touch, handed in by the composition root. */
export interface OfficeContext extends Walking {
  readonly store: Store;
  readonly clock: OfficeClock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly log: Log;
  readonly files: BodyFiles;
  readonly processes: Processes;
  readonly transcripts: Transcripts;
  /** By program name. */
  readonly inboxes: Readonly<Record<string, Inbox>>;
  readonly hookSign: HookSign;
  /** The person whose daemon this is. */
  readonly owner: Address;
  settings(): Settings;
}
