/** Every place of the command line where something can be completed, and what. Pure. */
import { COMMON_OPTIONS, type Command, type OptionSpec } from "../command.ts";
import { type Offered, offeredBy } from "./offered.ts";
import type { Offer } from "./offers.ts";

/** Options whose value is a file. */
export const FILES = ["file", "output", "credentials", "ca-file"];

export interface Place {
  /** `""`, `queue`, `queue cancel`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly (readonly [string, OptionSpec])[];
  readonly offered: Offered;
}

const NOTHING: Offered = { words: [], repeats: false, options: [] };

export function places(commands: readonly Command[]): readonly Place[] {
  const names = (each: readonly Command[]) =>
    each.flatMap(({ name, aliases = [], summary }) => [name, ...aliases].map((word) => ({ word, summary })));
  const walk = (path: string, ownPath: string, command: Command): readonly Place[] => [
    {
      path,
      words: [
        ...names(command.subcommands ?? []),
        ...(command.wordChoices ?? []).map((word) => ({ word, summary: "" })),
      ],
      options: Object.entries({ ...command.options, ...COMMON_OPTIONS }),
      offered: offeredBy(ownPath, command),
    },
    ...(command.subcommands ?? []).flatMap((inner) =>
      walk(`${path} ${inner.name}`, `${ownPath} ${inner.name}`, inner),
    ),
  ];
  return [
    { path: "", words: names(commands), options: Object.entries(COMMON_OPTIONS), offered: NOTHING },
    ...commands.flatMap((command) =>
      [command.name, ...(command.aliases ?? [])].flatMap((name) => walk(name, command.name, command)),
    ),
  ];
}

/** Options followed by a value. */
export function valued(all: readonly Place[]): readonly string[] {
  const found = all.flatMap(({ options }) =>
    options.flatMap(([name, { kind, short }]) =>
      kind === "flag" ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
    ),
  );
  return [...new Set(found)];
}

/** What is offered where: `send:0`, `queue cancel:*`, `send:--re`. */
export function offersByPlace(all: readonly Place[]): readonly (readonly [Offer, readonly string[]])[] {
  const found = new Map<Offer, string[]>();
  const add = (offer: Offer, at: string) => found.set(offer, [...(found.get(offer) ?? []), at]);
  for (const { path, offered } of all) {
    const { words, repeats, options } = offered;
    for (const [index, offer] of words.entries()) if (offer !== undefined) add(offer, `${path}:${index}`);
    const last = words.at(-1);
    if (repeats && last !== undefined) add(last, `${path}:+`);
    for (const [name, offer] of options) add(offer, `${path}:--${name}`);
  }
  return [...found];
}
