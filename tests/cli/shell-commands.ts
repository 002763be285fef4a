/** The simple commands of a shell script, as words. Knows as much of the shell as our pages use, and refuses the rest. */
export function commandsIn(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [];
  const hereDocuments: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let at = 0;

  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const upTo = (end: string, from: number) => {
    const found = script.indexOf(end, from);
    if (found === -1) throw new Error(`no ${end} after ${script.slice(from, from + 40)}`);
    return found;
  };
  const substitution = () => {
    let depth = 1;
    let end = at + 2;
    for (; depth > 0; end += 1) {
      if (end >= script.length) throw new Error(`no ) after ${script.slice(at, at + 40)}`);
      if (script[end] === "(") depth += 1;
      if (script[end] === ")") depth -= 1;
    }
    commands.push(...commandsIn(script.slice(at + 2, end - 1)).map((command) => [...command]));
    at = end;
    return "substituted";
  };

  while (at < script.length) {
    const rest = script.slice(at);
    const character = rest[0] ?? "";
    const hereDocument = /^<<'?(\w+)'?/.exec(rest);
    const toFile = word === undefined ? /^(?:> \S+|2>&1)(?=\s|$)/.exec(rest) : null;
    if (hereDocument !== null) {
      hereDocuments.push(hereDocument[1] ?? "");
      at += hereDocument[0].length;
    } else if (toFile !== null) {
      at += toFile[0].length;
    } else if (character === "\n") {
      endCommand();
      at += 1;
      for (const end of hereDocuments.splice(0)) at = upTo(`\n${end}\n`, at - 1) + end.length + 2;
    } else if (rest.startsWith("\\\n")) {
      at += 2;
    } else if (character === "#" && word === undefined) {
      at = script.includes("\n", at) ? upTo("\n", at) : script.length;
    } else if (/[ \t]/.test(character)) {
      endWord();
      at += 1;
    } else if (/[|&;]/.test(character)) {
      endCommand();
      at += 1;
    } else if (/[<>`]/.test(character)) {
      throw new Error(`our pages do without: ${rest.slice(0, 40)}`);
    } else if (character === "'") {
      const end = upTo("'", at + 1);
      word = (word ?? "") + script.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      word ??= "";
      for (at += 1; script[at] !== '"'; ) {
        if (at >= script.length) throw new Error("a quote is not closed");
        if (script.startsWith("$(", at)) {
          word += substitution();
          continue;
        }
        if (script[at] === "\\") at += 1;
        word += script[at];
        at += 1;
      }
      at += 1;
    } else if (rest.startsWith("$(")) {
      word = (word ?? "") + substitution();
    } else {
      word = (word ?? "") + character;
      at += 1;
    }
  }
  endCommand();
  return commands.map((command) => command.slice(command.findIndex((each) => !/^\w+=/.test(each))));
}
