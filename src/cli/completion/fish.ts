/** Completion for fish, which uses conditions and lists instead of one function. */
import { FILES, offersByPlace, type Place, valued } from "./places.ts";

export function fish(all: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = ["# bellhop completion for fish", asking(all), "complete -c bellhop -f"];
  lines.push("complete -c bellhop -a '(__bellhop_offered)'");
  for (const place of all) {
    const names = place.path.split(" ").filter(Boolean);
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const inner = place.words.map(({ word }) => word).join(" ");
    const here = seen === "" ? "__fish_use_subcommand" : seen;
    const condition =
      names.length === 1 && inner !== "" ? `${here}; and not __fish_seen_subcommand_from ${inner}` : here;
    for (const { word, summary } of place.words) {
      lines.push(`complete -c bellhop -n ${quote(condition)} -a ${word} -d ${quote(summary)}`);
    }
    const offers = new Map(place.offered.options);
    for (const [name, { short, kind, choices: values, summary }] of place.options) {
      const parts = [`complete -c bellhop -n ${quote(here)} -l ${name}`];
      const offer = offers.get(name);
      if (short !== undefined) parts.push(`-s ${short}`);
      if (offer !== undefined) parts.push(`-x -a '(bellhop completions words ${offer} 2>/dev/null)'`);
      else if (kind === "value") parts.push(values === undefined ? "-r" : `-x -a ${quote(values.join(" "))}`);
      if (FILES.includes(name)) parts.push("-F");
      parts.push(`-d ${quote(summary)}`);
      lines.push(parts.join(" "));
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The same walk as in the other shells. */
function asking(all: readonly Place[]): string {
  const quoted = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(" ");
  const paths = all.filter(({ path }) => path !== "").map(({ path }) => path);
  const arms = offersByPlace(all).flatMap(([offer, at]) => {
    const patterns = at.filter((each) => !each.includes(":--")).map((each) => each.replace(/:\+$/, ":*"));
    return patterns.length === 0 ? [] : [`    case ${quoted(patterns)}`, `      set offer ${offer}`];
  });
  return `function __bellhop_offered
  set -l place ''
  set -l count 0
  set -l skip no
  set -l offer ''
  for word in (commandline -opc)[2..-1]
    if test $skip = yes
      set skip no
      continue
    end
    set -l next (string trim -- "$place $word")
    if contains -- "$next" ${quoted(paths)}
      set place "$next"
      set count 0
      continue
    end
    switch $word
      case ${quoted(valued(all))}
        set skip yes
      case '-*'
      case '*'
        set count (math $count + 1)
    end
  end
  if test $skip = yes
    return
  end
  switch "$place:$count"
${arms.join("\n")}
  end
  test -n "$offer"; and bellhop completions words $offer 2>/dev/null
end`;
}
