/** Browsers that want notifications, as one more channel of the person: what paging and `standing` tell them. */
import type { AttentionKind } from "../../core/attention.ts";
import type { Address, AgentName, Instant } from "../../core/message.ts";

/** Stands among the person's channels. Nobody can send to it: no bridge reaches it. */
export const PUSH_CHANNEL: Address = "push";

/** Never a text of an agent, or a command: a notification is seen on locked screens. */
export interface PushNews {
  readonly id: string;
  readonly agent: AgentName | null;
  /**
   * `often`: it asks again and again, and the person is not told each time. `waiting`: messages wait that nothing can
   * hand over.
   */
  readonly kind: AttentionKind | "often" | "waiting";
  /** Asked before each attempt: what was answered meanwhile is not told. */
  isWanted(): boolean;
}

export interface PushTold {
  /** Since when somebody wants them; undefined: nobody does. */
  since(): Instant | undefined;
  tell(news: PushNews): void;
}
