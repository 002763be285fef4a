/** Whether something from outside answers a permission dialog. The desk answers by it; the inbox gives it to the desk. */
import { bareAnswerOf, codedAnswerOf, nonceOf } from "../../core/desk/reply-text.ts";
import type { Arrival, BridgeName } from "../../ports/bridge.ts";
import type { StoreReader } from "../../ports/store.ts";
import { codeOfPage } from "./pages.ts";

interface Said extends Pick<Arrival, "text" | "button" | "answers"> {
  readonly bridge: BridgeName;
}

/** A button, a code, or a yes or no to the message that asked: the answer to a dialog, and nothing else. */
export function nonceIn({ bridge, text, button, answers = [] }: Said, read: StoreReader): string | undefined {
  if (button !== undefined) return button;
  const coded = codedAnswerOf(text);
  if (coded !== undefined) return nonceOf(coded);
  const answer = bareAnswerOf(text);
  if (answer === undefined) return undefined;
  const [nearest] = answers.flatMap((id) => read.spoken(bridge, id) ?? []);
  const code = nearest === undefined ? undefined : codeOfPage(read.message(nearest.messageId));
  return code === undefined ? undefined : nonceOf({ answer, code });
}
