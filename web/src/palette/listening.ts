/** Listens to keys, and does what they mean. */

import { closeDetails } from "../agent/details.tsx";
import { answer, cards, type Word } from "../attention/answering.ts";
import { link } from "../board/store.ts";
import { revealRow } from "../overview/agent-list.tsx";
import { FILTER_ID } from "../overview/overview.tsx";
import { rows } from "../overview/shown.ts";
import { place } from "../places/route.ts";
import { cardCursor, cursor, focusCursor, rowCursor } from "../ui/cursor.ts";
import { type Command, commandOf, stepped } from "./keys.ts";
import { openDialog } from "./open.ts";

const TEXTS = "input, textarea, select, [contenteditable]";
const ROW = "row/";

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (link.peek().at === "logged-out") return;
    const { target } = event;
    const element = target instanceof Element ? target : undefined;
    const command = commandOf({
      key: event.key,
      ctrlKey: event.ctrlKey,
      metaKey: event.metaKey,
      altKey: event.altKey,
      isComposing: event.isComposing,
      isInText: element?.closest(TEXTS) != null,
      isInDialog: openDialog.value !== undefined,
    });
    if (command === undefined || event.defaultPrevented) return;
    if (perform(command, element) === "done") event.preventDefault();
  });
}

/** `passed`: the browser may do with the key what it likes. */
function perform(command: Command, target: Element | undefined): "done" | "passed" {
  switch (command) {
    case "palette":
    case "keys":
      openDialog.value = openDialog.value === command ? undefined : command;
      return "done";
    case "filter":
      document.getElementById(FILTER_ID)?.focus();
      return "done";
    case "next":
    case "previous":
      step(command === "next" ? 1 : -1);
      return "done";
    case "approve":
    case "deny":
      return answerFocused(command, target);
    case "close":
      return close(target);
    default:
      return command satisfies never;
  }
}

/** Only the card that has the focus: no other can be meant. */
function answerFocused(word: Word, target: Element | undefined): "done" | "passed" {
  const id = target?.closest<HTMLElement>("[data-card]")?.dataset.card;
  const card = cards.peek().find((one) => one.id === id);
  if (card === undefined) return "passed";
  void answer(card, word);
  return "done";
}

function step(by: 1 | -1): void {
  const order = [
    ...cards.peek().map(({ id }) => cardCursor(id)),
    ...rows.peek().flatMap((row) => (row.kind === "agent" ? rowCursor(row.key) : [])),
  ];
  const next = stepped(order, cursor.peek(), by);
  if (next === undefined) return;
  cursor.value = next;
  if (next.startsWith(ROW)) revealRow(next.slice(ROW.length));
  focusCursor(next);
  // A row that was out of view is drawn with the next frame, or the one after.
  requestAnimationFrame(() => requestAnimationFrame(() => focusCursor(next)));
}

function close(target: Element | undefined): "done" | "passed" {
  if (target instanceof HTMLElement && target.closest(TEXTS) !== null) {
    target.blur();
    return "done";
  }
  if (place.value.at === "home") return "passed";
  closeDetails();
  return "done";
}
