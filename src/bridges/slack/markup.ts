/** Slack's markup: what people wrote, and words that must stay words. */

/** `&`, `<` and `>` are all that Slack treats as control characters: escaped, nothing can ping anybody. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

export interface OwnName {
  readonly userId: string;
  readonly name: string;
}

/**
 * A message as the person saw it. That it mentions Bellhop's bot at its beginning only says whom they talk to: it is
 * left out, because a name there is the tag of an agent.
 */
export function readable(text: string, own: OwnName): string {
  const begun = text.replace(new RegExp(`^\\s*<@${own.userId}(?:\\|[^<>]*)?>[,:]?\\s*`, "u"), "");
  const shown = begun.replace(/<([^<>\n]*)>/gu, (_, inside: string) => reference(inside, own));
  return unescaped(shown);
}

function reference(inside: string, own: OwnName): string {
  const bar = inside.indexOf("|");
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? undefined : inside.slice(bar + 1);
  const named = label === undefined || label === "" ? target.slice(1) : label;
  switch (target[0]) {
    case "@":
      return `@${target.slice(1) === own.userId ? own.name : named}`;
    case "#":
      return `#${named}`;
    case "!":
      return special(target.slice(1), label);
    default:
      return link(target, label);
  }
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^…|what old clients show>`. */
function special(command: string, label: string | undefined): string {
  if (label !== undefined && label !== "")
    return command.startsWith("date^") ? label : `@${label.replace(/^@/, "")}`;
  return `@${command}`;
}

/** Slack makes links of addresses by itself: then the label is what was written. */
function link(target: string, label: string | undefined): string {
  if (label === undefined || label === "" || label === target) return target;
  const bare = target.replace(/^(?:mailto:|tel:|https?:\/\/)/u, "");
  return bare === label || bare === `${label}/` ? label : `${label} (${target})`;
}
