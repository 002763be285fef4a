/** One message in a few lines: who to whom, the beginning of its text, and what became of it. */
import { recipientInWords } from "../../../src/core/cluster/hosts.ts";
import { sanitiseLine } from "../../../src/core/text/sanitise.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { momentInWords } from "../ui/moment.ts";
import { MessageDetails } from "./message-details.tsx";
import type { Talk } from "./talk.ts";
import { type Entry, isFrom, nameIn } from "./timeline.ts";
import { standingOf } from "./wording.ts";

interface MessageRowProps {
  readonly entry: Entry;
  readonly talk: Talk;
  readonly isOpen: boolean;
  open(): void;
  answer(shortId: string): void;
}

export function MessageRow({ entry, talk, isOpen, open, answer }: MessageRowProps) {
  const { conversation } = TEXT;
  const { from, state, priority, preview, queued_at, re, hold } = entry;
  const isOut = isFrom(from, talk.name);
  const [sender, receiver] = [from, recipientInWords(entry)].map((address) =>
    sanitiseLine(nameIn(address), 64),
  );
  return (
    <article class={`message ${isOut ? "out" : "in"} ${state}`}>
      <button type="button" class="summary" aria-expanded={isOpen} onClick={open}>
        <span class="who">
          <strong>{sender}</strong>
          <span class="arrow" aria-hidden="true">
            →
          </span>
          <span class="for-ears">{conversation.to}</span>
          <span>{receiver}</span>
        </span>
        {priority !== "normal" && <span class="chip">{conversation.priorities[priority]}</span>}
        {re !== undefined && <span class="quiet answers">{conversation.answers(re)}</span>}
        <span class="standing" title={hold?.release ?? ""}>
          {standingOf(entry, now.value)}
        </span>
        <time class="quiet" dateTime={new Date(queued_at).toISOString()}>
          {momentInWords(queued_at, now.value)}
        </time>
        <span class="preview">{preview || (entry.raw === true ? conversation.keys : "")}</span>
      </button>
      {isOpen && <MessageDetails entry={entry} talk={talk} answer={answer} />}
    </article>
  );
}
