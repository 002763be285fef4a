// A program for a terminal: for every read it tells its peer when it read (the machine's monotonic clock, in
// nanoseconds) and how many bytes it has read so far.
//   node echo-program.mjs SOCKET
import { connect } from "node:net";

const peer = connect(process.argv[2]);
peer.on("error", () => process.exit(1));
peer.on("close", () => process.exit(0));
peer.resume();

let total = 0;
process.stdin.setRawMode(true);
process.stdin.on("data", (bytes) => {
  const at = process.hrtime.bigint();
  total += bytes.length;
  peer.write(`${at} ${total}\n`);
});
process.stdin.on("end", () => process.exit(0));
process.stdout.write("\x1b[?1049h\x1b[?25l");
peer.write("0 0\n");
