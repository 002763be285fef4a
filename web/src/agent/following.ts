/** An agent gets another name, here or elsewhere: what is open and what is half written to it go along. */
import { onMoves } from "../board/store.ts";
import { openAgent, replaceOpen } from "../places/route.ts";
import { keptText, moveTexts } from "../writing/kept-text.ts";

export function startFollowing(): void {
  onMoves((moves) => {
    const open = moves.find(({ from }) => from === openAgent.peek());
    // What stands for the new name is shown then, and not written over.
    const hasOwn = open !== undefined && keptText(localStorage, open.to).text !== "";
    moveTexts(localStorage, moves);
    if (open !== undefined) replaceOpen(open.to, hasOwn ? "anew" : "as-it-is");
  });
}
