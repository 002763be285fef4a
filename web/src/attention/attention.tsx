/** What needs the person, before everything else. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { counts, health, isKnown, turns } from "../board/store.ts";
import { TEXT } from "../strings.ts";
import { cards, places } from "./answering.ts";
import { Card } from "./card.tsx";
import { isInert, settle, settledInMs } from "./settling.ts";
import { WantedCard } from "./wanted-card.tsx";

export const ATTENTION_ID = "attention";

export function AttentionList() {
  const list = useRef<HTMLDivElement>(null);
  const settled = useSignal(0);
  const all = cards.value;
  useLayoutEffect(() => {
    const drawn = list.current?.querySelectorAll<HTMLElement>("[data-card]") ?? [];
    const seen = new Map([...drawn].map((card) => [card.dataset.card ?? "", placeOf(card)]));
    places.value = settle(places.peek(), seen, performance.now());
  });
  useEffect(() => {
    const ms = settledInMs(places.value, performance.now());
    if (ms === undefined) return;
    const timer = setTimeout(() => {
      settled.value += 1;
    }, ms + 1);
    return () => clearTimeout(timer);
  }, [places.value]);
  // Drawn again when the last of them has settled.
  void settled.value;
  const at = performance.now();
  return (
    <section class="attention" id={ATTENTION_ID} tabIndex={-1} aria-labelledby="attention-title">
      <h2 id="attention-title" aria-live="polite">
        {TEXT.attention.title}
        {all.length > 0 && <span class="count">{all.length}</span>}
      </h2>
      <div ref={list} class="cards">
        <WantedCard />
        <Health />
        {all.map((card) => (
          <Card key={card.id} card={card} isInert={isInert(places.peek(), card.id, at)} />
        ))}
        {isKnown.value && all.length === 0 && <p class="nothing">{TEXT.attention.nothing}</p>}
        <Besides />
      </div>
    </section>
  );
}

/** Where it is among the others, and what it offers. Scrolling does not move it. */
function placeOf(card: HTMLElement): string {
  const buttons = card.querySelectorAll("button").length;
  return `${card.offsetTop} ${buttons} ${card.querySelector(".text")?.textContent ?? ""}`;
}

/** What else a person may want to know. */
function Besides() {
  const { mail = 0 } = counts.value ?? {};
  return (
    <>
      {mail > 0 && <p class="quiet">{TEXT.attention.mail(mail)}</p>}
      {turns.value?.switch.off === true && <p class="quiet">{TEXT.attention.turnsOff}</p>}
    </>
  );
}

/** What keeps Bellhop itself from working. */
function Health() {
  const { trouble = [], warnings = [] } = health.value ?? {};
  return (
    <>
      {trouble.map(({ code, message, next }) => (
        <article key={code} class="card trouble">
          <header>
            <span class="kind">{TEXT.attention.trouble}</span>
          </header>
          <p class="text">
            {message} {next}
          </p>
        </article>
      ))}
      {warnings.map((warning) => (
        <article key={warning} class="card warning">
          <header>
            <span class="kind">{TEXT.attention.warning}</span>
          </header>
          <p class="text">{warning}</p>
        </article>
      ))}
    </>
  );
}
