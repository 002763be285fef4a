/**
 * Takes out of a captured screen what tells whose it is: the home folder, the names of user and machine, e-mail addresses.
 * Each is replaced by as many characters, so that nothing moves on the screen. Pure.
 */
import type { ScreenLine } from "../../../core/readiness/screen.ts";

export interface Whose {
  readonly home: string;
  readonly user: string;
  readonly host: string;
}

/** Names that say nothing about anyone, and are words of programs too. */
const EVERYBODYS = new Set(["root", "dev", "user", "node", "admin", "home", "localhost", "ubuntu", "debian"]);
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/gu;

export function namelessText(text: string, { home, user, host }: Whose): string {
  let changed = home.length > 1 ? text.replaceAll(home, sized("/home/dev", home.length)) : text;
  changed = changed.replace(EMAIL, (address) => sized("dev@example.com", address.length));
  for (const [name, instead] of [
    [user, "dev"],
    [host, "host"],
    [host.split(".")[0] ?? "", "host"],
  ] as const) {
    if (name.length < 2 || EVERYBODYS.has(name.toLowerCase())) continue;
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{N}_])`, "gu");
    changed = changed.replace(whole, sized(instead, name.length));
  }
  return changed;
}

/** A name may be split between two colours, so the whole line counts. */
export function namelessLine({ text, runs }: ScreenLine, whose: Whose): ScreenLine {
  const changed = namelessText(text, whose);
  let at = 0;
  return {
    text: changed,
    runs: runs.map((run) => {
      const part = changed.slice(at, at + run.text.length);
      at += run.text.length;
      return { ...run, text: part };
    }),
  };
}

function sized(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, "_");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
