/** The person's quiet hours in `config.yaml`. Pure. */
import type { AttentionKind } from "../core/attention.ts";
import { type Edited, withAdded, withoutEntry } from "./editing.ts";
import type { ConfigEdit } from "./writing.ts";

export interface QuietWish {
  /** As in the config: `22:00-07:00`; empty for none. */
  readonly hours: string;
  readonly except: readonly AttentionKind[];
}

const HOURS = ["person", "quiet"];
const EXCEPT = ["person", "quiet_except"];

export function quietEdit(wish: QuietWish): ConfigEdit {
  return {
    edit: (text) => withQuietHours(text, wish),
    byHand: `Set them in it by hand: person: { quiet: "${wish.hours}", quiet_except: [${wish.except.join(", ")}] }`,
  };
}

/** Exceptions of no hours are kept: the person may want the same ones when they set hours again. */
export function withQuietHours(text: string, { hours, except }: QuietWish): Edited {
  const bare = then(withoutEntry(text, HOURS), (rest) => withoutEntry(rest, EXCEPT));
  const timed = hours === "" ? bare : then(bare, (rest) => withAdded(rest, HOURS, hours));
  return except.length === 0 ? timed : then(timed, (rest) => withAdded(rest, EXCEPT, [...except]));
}

function then(edited: Edited, edit: (text: string) => Edited): Edited {
  return edited === undefined ? undefined : edit(edited);
}
