/** A person and their agents on a platform: the scenes, of which each platform plays those that it can. */
import type { Screen, Spoken } from "./screen.ts";
import type { RehearsalStage } from "./stage.ts";

export interface HeardLine {
  readonly id: string;
  readonly subject?: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly nonce: string }[];
}

/** One person who uses the platform. */
export interface RehearsedPerson {
  /** Their place in paths. */
  readonly channel: string;
  /** `answers`: what was heard, by its id. */
  says(text: string, answers?: string): unknown;
  /** Where people write letters: all that stands in it. */
  letter?(text: string, answers?: string): { readonly subject: string; readonly text: string };
  /** Where there are buttons. */
  presses?(heard: HeardLine, nonce: string): void;
  /** What they were told, in order. */
  heard(): readonly HeardLine[];
}

type Scene = (conversation: Conversation) => Promise<void>;

const DELIVERED = /^✓ Delivered to \[/u;
const ASKS_PERMISSION = /asks for a permission/u;
const CODE = /Reply "yes ([a-z0-9]+)"/u;

export const isAskedForWhom: Scene = async (talk) => {
  talk.title("You write, and do not say to whom. You are asked, and answer with a number:");
  talk.says("Is everything green?");
  await talk.hears(/^Who is this for\?/u);
  talk.goesOn("1");
  await talk.hears(DELIVERED);
  await talk.reads();
};

export const namesTheAgent: Scene = async (talk) => {
  talk.title("You name the agent:");
  talk.says("[web] Please update the screenshots.");
  await talk.hears(DELIVERED);
  await talk.reads();
};

export const pressesAButton: Scene = async (talk) => {
  talk.title("An agent asks for a permission, and you press a button:");
  await talk.asksFor("api", "npm publish");
  talk.presses(await talk.hears(ASKS_PERMISSION), "Approve");
  await talk.hears(/^✓ Approved/u);
  await talk.reads();
};

export const repliesWithACode: Scene = async (talk) => {
  talk.title("An agent asks for a permission, and you reply with its code:");
  await talk.asksFor("api", "npm publish");
  const { text } = await talk.hears(ASKS_PERMISSION);
  talk.goesOn(`yes ${CODE.exec(text)?.[1]}`);
  await talk.hears(/^✓ Approved/u);
  await talk.reads();
};

export const answersAMessage: Scene = async (talk) => {
  talk.title("An agent asks, and you answer its message:");
  await talk.agentSays("web", "The tests pass. Shall I deploy?");
  const question = await talk.hears(/Shall I deploy\?$/u);
  talk.says("Yes, go on.", question);
  await talk.hears(DELIVERED);
  await talk.reads();
};

export const changesTheirMind: Scene = async (talk) => {
  talk.title("You change your mind:");
  talk.goesOn("undo");
  await talk.hears(/^✓ Undone|disregard/u);
  await talk.reads();
};

/** The play of a platform: these scenes, in their order. */
export function playing(person: RehearsedPerson, scenes: readonly Scene[]) {
  return async (stage: RehearsalStage, screen: Screen): Promise<void> => {
    const conversation = new Conversation(person, stage, screen);
    for (const scene of scenes) await scene(conversation);
  };
}

function spokenBy({ subject, text, buttons }: HeardLine): Spoken {
  return {
    ...{ who: "bot", text },
    ...(subject === undefined ? {} : { subject }),
    ...(buttons.length === 0 ? {} : { buttons: buttons.map(({ label }) => label) }),
  };
}

class Conversation {
  readonly #person: RehearsedPerson;
  readonly #stage: RehearsalStage;
  readonly #screen: Screen;
  #heard = 0;

  constructor(person: RehearsedPerson, stage: RehearsalStage, screen: Screen) {
    this.#person = person;
    this.#stage = stage;
    this.#screen = screen;
  }

  title(text: string): void {
    this.#screen.title(text);
  }

  says(text: string, answered?: HeardLine): void {
    this.#screen.tell({ who: "you", text, ...this.#person.letter?.(text, answered?.id) });
    this.#person.says(text, answered?.id);
  }

  /** In the same chat; a letter answers the last one. */
  goesOn(text: string): void {
    this.says(text, this.#person.letter === undefined ? undefined : this.#person.heard()[this.#heard - 1]);
  }

  presses(heard: HeardLine, label: string): void {
    this.#screen.tell({ who: "you", text: label, pressed: true });
    this.#person.presses?.(heard, heard.buttons.find((one) => one.label === label)?.nonce ?? "");
  }

  /** In its terminal. */
  asksFor(agent: string, command: string): Promise<void> {
    return this.#stage.asksFor(agent, command);
  }

  async agentSays(from: string, body: string): Promise<void> {
    const claims = { user: "you" };
    await this.#stage.client.call("send", { to: this.#person.channel, body, from, claims });
  }

  /** Whatever the bot says until this. */
  async hears(wanted: RegExp): Promise<HeardLine> {
    let found: HeardLine | undefined;
    await this.#stage.until("the bot's answer", () => {
      const heard = this.#person.heard();
      while (found === undefined && this.#heard < heard.length) {
        const line = heard[this.#heard] as HeardLine;
        this.#heard += 1;
        this.#screen.tell(spokenBy(line));
        if (wanted.test(line.text)) found = line;
      }
      return found !== undefined;
    });
    return found ?? { id: "", text: "", buttons: [] };
  }

  reads(): Promise<void> {
    return this.#screen.tellReading();
  }
}
