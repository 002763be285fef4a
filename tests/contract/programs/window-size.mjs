// Prints its terminal's size, first and whenever it changes.
const tell = () => process.stdout.write(`${process.stdout.rows} ${process.stdout.columns}\r\n`);
process.stdout.on("resize", tell);
tell();
process.stdin.resume();
