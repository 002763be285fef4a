import type { AgentName, Instant, MessageId } from "../core/message.ts";

/** Bodies as files: copies for people and agents to read. The store is authoritative. */
export interface BodyFiles {
  /** The name a body will have, relative to the messages folder: `<agent>/<timestamp>-<id8>.md`. */
  nameFor(agent: AgentName, at: Instant, id: MessageId): string;
  /** Writes it if it is not there (0600, no symlink followed) and returns the absolute path. */
  ensure(name: string, text: string): Promise<string>;
  remove(name: string): Promise<void>;
  absolute(name: string): string;
}
