/** The section `notify` of `config.yaml`: how the person is told what wants them. */
import { nearest } from "../core/text/nearest.ts";
import { NOTIFY_WAYS, type NotifyWay } from "../core/text/telling.ts";
import type { ConfigReader, Entry } from "./reader.ts";

export const STANDARD_NOTIFY: readonly NotifyWay[] = ["tmux"];

const WORDS = [...NOTIFY_WAYS, "off"] as const;

/** `notify: [tmux, desktop]`, or `notify: off` for none. */
export function readNotify(reader: ConfigReader, { value, line }: Entry): readonly NotifyWay[] {
  const items = reader.isList(value) ? reader.items(value, "notify", line, WORDS.length) : [value];
  const found = new Set<(typeof WORDS)[number]>();
  for (const item of items) {
    const at = reader.lineOf(item, line);
    const text = reader.text(item, "notify", at);
    if (text === undefined) continue;
    const word = WORDS.find((known) => known === text);
    if (word !== undefined) found.add(word);
    else {
      const meant = nearest(text, WORDS);
      const advice = meant === undefined ? `known are ${WORDS.join(", ")}` : `did you mean "${meant}"?`;
      reader.complain(at, `notify: no way "${text}": ${advice}`);
    }
  }
  if (found.has("off") && found.size > 1) reader.complain(line, 'notify: "off" stands alone');
  if (found.size === 0) reader.complain(line, `notify: name at least one of ${WORDS.join(", ")}`);
  return NOTIFY_WAYS.filter((way) => found.has(way));
}
