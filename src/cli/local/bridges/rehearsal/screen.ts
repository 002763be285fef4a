/** What is said in a rehearsal, on the screen and in its record. */
import { sanitiseLine, sanitiseText } from "../../../../core/text/sanitise.ts";
import type { Output } from "../../../printing/output.ts";
import { AGENTS, type RehearsalStage } from "./stage.ts";

export interface Spoken {
  /** `service` and `bellhop`: a request from outside, and its answer. */
  readonly who: "you" | "bot" | "agent" | "service" | "bellhop";
  readonly agent?: string;
  readonly service?: string;
  /** Of a letter. */
  readonly subject?: string;
  readonly text: string;
  /** The words on the buttons below it. */
  readonly buttons?: readonly string[];
  /** It is the word on a button. */
  readonly pressed?: true;
}

const LONGEST_PROMPT = 200;
/** Of a request; what is left out is only more of the same. */
const LONGEST_LINE = 64;
const ARROWS = { you: "→", bot: "←", service: "→", bellhop: "←" } as const;
/** Of the names before them, so that the arrows stand below each other. */
const WIDTHS = { you: 3, bot: 3, service: 7, bellhop: 7 } as const;

export class Screen {
  readonly conversation: Spoken[] = [];
  readonly #stage: RehearsalStage;
  readonly #out: Output;
  readonly #read = new Map<string, number>();

  constructor(stage: RehearsalStage, out: Output) {
    this.#stage = stage;
    this.#out = out;
  }

  line(text: string): void {
    if (!this.#out.json) this.#out.line(text);
  }

  title(text: string): void {
    this.line(`\n${this.#out.paint("bold", text)}`);
  }

  tell(spoken: Spoken): void {
    this.conversation.push(spoken);
    const { who, agent, text } = spoken;
    if (who === "agent") this.note(`${agent} gets: ${sanitiseLine(text, LONGEST_PROMPT)}`);
    else this.#show(who, spoken);
  }

  /** What follows from it. */
  note(text: string): void {
    this.line(this.#out.paint("dim", `      ${text}`));
  }

  #show(who: keyof typeof ARROWS, spoken: Spoken): void {
    for (const [index, line] of linesOf(spoken).entries()) {
      const label = (index === 0 ? (spoken.service ?? who) : "").padStart(WIDTHS[who]);
      const shown = who === "service" ? cut(line) : sanitiseText(line);
      this.line(`  ${label} ${ARROWS[who]} ${shown}`.trimEnd());
    }
  }

  /** What some agent got just now. */
  async tellReading(): Promise<void> {
    const fresh = (agent: string) => this.#stage.got(agent).slice(this.#read.get(agent) ?? 0);
    await this.#stage.until("an agent", () => AGENTS.some((agent) => fresh(agent).length > 0));
    for (const agent of AGENTS) {
      for (const text of fresh(agent)) this.tell({ who: "agent", agent, text });
      this.#read.set(agent, this.#stage.got(agent).length);
    }
  }
}

function cut(line: string): string {
  const shown = sanitiseLine(line, LONGEST_LINE);
  return shown.length < line.length ? `${shown}…` : shown;
}

function linesOf({ subject, text, pressed, buttons = [] }: Spoken): readonly string[] {
  const words = (pressed === true ? [text] : buttons).map((label) => `( ${label} )`).join(" ");
  return [
    ...(subject === undefined ? [] : [`Subject: ${subject}`, ""]),
    ...(pressed === true ? [] : text.split("\n")),
    ...(words === "" ? [] : [words]),
  ];
}
