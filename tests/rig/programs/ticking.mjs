// Draws all the time, and repeats every line that it reads.
process.stdin.setEncoding("utf8").on("data", (text) => {
  for (const line of text.split("\n").filter((one) => one !== ""))
    process.stdout.write(`\r\x1b[Kread ${line}.\r\n`);
});
let ticks = 0;
setInterval(() => {
  ticks += 1;
  process.stdout.write(`\r\x1b[Ktick ${ticks}.`);
}, 30);
