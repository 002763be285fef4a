import type { AgentName, Instant, MessageId } from "../core/message.ts";

/** Files that came with messages. */
export interface AttachedFiles {
  /** Keeps it, synced to disk, and returns the absolute path. The same bytes under the same name are kept once. */
  attach(name: string, bytes: Uint8Array): Promise<string>;
  /** Removes those that were last sent before. */
  forgetAttachedBefore(at: Instant): Promise<void>;
}

/** Bodies as files: copies for people and agents to read. The store is authoritative. */
export interface BodyFiles extends AttachedFiles {
  /** The name a body will have, relative to the messages folder: `<agent>/<timestamp>-<id8>.md`. */
  nameFor(agent: AgentName, at: Instant, id: MessageId): string;
  /** Writes it if it is not there (0600, no symlink followed) and returns the absolute path. */
  ensure(name: string, text: string): Promise<string>;
  remove(name: string): Promise<void>;
  absolute(name: string): string;
}
