// Draws every way to colour a cell, and waits. --wide: characters of every width instead.
const out = [];
if (process.argv.includes("--wide")) {
  out.push(
    "漢字かな 한글 ﾊﾝｶｸ ｆｕｌｌ",
    "e\u0301 a\u0308 n\u0303 字\u0301 combining",
    "│ ─ ┼ █ ▌ box",
    "👍 ok 🚀 ✅ done ❤",
  );
  out.push(
    "漢".repeat(39),
    `x${"字".repeat(40)}`,
    "漢\b字 overwritten half",
    "abc\x1b[1D漢|",
    "漢字\x1b[2Dx",
  );
} else {
  for (let row = 0; row < 8; row += 1) {
    let line = "";
    for (let index = row * 32; index < row * 32 + 32; index += 1)
      line += `\x1b[48;5;${index}m\x1b[38;5;${255 - index}m#`;
    out.push(`${line}\x1b[0m`);
  }
  let ramp = "";
  for (let index = 0; index < 64; index += 1) ramp += `\x1b[48;2;${index * 4};${255 - index * 4};128m `;
  out.push(`${ramp}\x1b[0m`);
  out.push(
    "\x1b[2mdim\x1b[0;1mbold\x1b[0m \x1b[1mbold\x1b[22m \x1b[2mdim\x1b[22m \x1b[3mitalic\x1b[23m \x1b[7minverse\x1b[27m \x1b[1;31mred\x1b[0m",
  );
  out.push(
    "\x1b[4munder\x1b[24m \x1b[4:3mcurly\x1b[24m \x1b[9mstruck\x1b[29m \x1b[53mover\x1b[55m \x1b[8mhidden\x1b[28m",
  );
  out.push("\x1b[94;103mbright\x1b[0m \x1b[30;41mplain eight\x1b[0m \x1b[44m\x1b[K");
}
process.stdout.write(`\x1b[2J\x1b[H${out.join("\x1b[0m\r\n")}\x1b[0m\r\ndrawn\r\n`);
process.stdin.resume();
