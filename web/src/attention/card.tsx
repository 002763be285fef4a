/** One thing that needs the person: all of its text, and what can be done about it. */
import type { ShownAttention } from "../../../src/wire/shapes/attention.ts";
import { SayBox } from "../acting/say-box.tsx";
import { isLive } from "../board/store.ts";
import { LinkToAgent } from "../places/link-to-agent.tsx";
import { PlaceLink } from "../places/place-link.tsx";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { cardCursor, cursorProps } from "../ui/cursor.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { KeyHint } from "../ui/key-hint.tsx";
import { sinceInWords } from "../ui/since.ts";
import { answer, outcomeFor, reroute, runNow, type Word } from "./answering.ts";

interface CardProps {
  readonly card: ShownAttention;
  readonly isInert: boolean;
}

export function Card({ card, isInert }: CardProps) {
  const { id, kind, agent, since, text, toldOn = [] } = card;
  const outcome = outcomeFor(id);
  const isOver = outcome?.at === "sent" || outcome?.at === "over";
  return (
    <article
      class={`card ${kind} ${isOver ? "over" : ""}`}
      tabIndex={-1}
      data-card={id}
      aria-label={`${TEXT.attention.kinds[kind]}: ${agent ?? TEXT.attention.somebody}`}
      {...cursorProps(cardCursor(id))}
    >
      <header>
        <span class="kind">{TEXT.attention.kinds[kind]}</span>
        {agent !== null && <LinkToAgent name={agent}>{agent}</LinkToAgent>}
        <span class="since">{sinceInWords(since, now.value)}</span>
      </header>
      <p class="text">{text}</p>
      {toldOn.length > 0 && <p class="quiet">{TEXT.attention.toldOn(toldOn)}</p>}
      {outcome?.at === "asking" && (
        <p class="note" role="status">
          {TEXT.attention.answering}
        </p>
      )}
      {isOver && (
        <p class="note" role="status">
          {outcome.text}
        </p>
      )}
      {outcome?.at === "refused" && <ErrorNote {...outcome.error} />}
      {!isOver && <Ways card={card} isInert={isInert || outcome?.at === "asking"} />}
    </article>
  );
}

/** How this kind is dealt with. */
function Ways({ card, isInert }: CardProps) {
  const { kind, agent, session, answers } = card;
  const { approve, deny, inTerminal } = TEXT.attention;
  switch (kind) {
    case "permission":
      if (answers === undefined) return <p class="quiet">{inTerminal}</p>;
      return (
        <div class="buttons">
          <AnswerButton card={card} word="approve" isInert={isInert} text={approve} hint="a" />
          <AnswerButton card={card} word="deny" isInert={isInert} text={deny} hint="d" />
        </div>
      );
    case "question":
    case "turn-end":
      if (agent === null) return null;
      return <SayBox to={session ?? agent} name={agent} label={TEXT.say.answer} />;
    case "loop":
    case "dead-letter":
      return <OneButton text={TEXT.attention.reroute} isInert={isInert} act={() => reroute(card)} />;
    case "budget":
      return <OneButton text={TEXT.attention.runNow} isInert={isInert} act={() => runNow(card)} />;
    case "unconfirmed":
      if (agent === null) return null;
      return (
        <PlaceLink to={{ at: "agent", name: agent, tab: "conversation" }} isHere={false}>
          {TEXT.attention.seeConversation}
        </PlaceLink>
      );
    default:
      return kind satisfies never;
  }
}

interface AnswerButtonProps extends CardProps {
  readonly word: Word;
  readonly text: string;
  readonly hint: string;
}

/** Not disabled while inert, so that it keeps the focus; whether it counts is decided when it is pressed. */
function AnswerButton({ card, word, isInert, text, hint }: AnswerButtonProps) {
  return (
    <button
      type="button"
      class={word === "approve" ? "primary" : ""}
      disabled={!isLive.value}
      aria-disabled={isInert}
      aria-keyshortcuts={hint}
      onClick={() => void answer(card, word)}
    >
      {text} <KeyHint of={hint} />
    </button>
  );
}

interface OneButtonProps {
  readonly text: string;
  readonly isInert: boolean;
  act(): Promise<void>;
}

function OneButton({ text, isInert, act }: OneButtonProps) {
  return (
    <div class="buttons">
      <button
        type="button"
        disabled={!isLive.value}
        aria-disabled={isInert}
        onClick={() => {
          if (!isInert) void act();
        }}
      >
        {text}
      </button>
    </div>
  );
}
