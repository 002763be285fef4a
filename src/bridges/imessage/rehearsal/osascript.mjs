// Stands in for osascript: hands the script and its arguments to the Messages beside it, and ends as that says.
import { connect } from "node:net";
import { text } from "node:stream/consumers";

const [socket, ...args] = process.argv.slice(2);
const script = await text(process.stdin);
const connection = connect(socket);
connection.end(JSON.stringify({ script, args, environment: Object.keys(process.env) }));
const { status, stderr } = JSON.parse(await text(connection));
process.stderr.write(stderr);
process.exitCode = status;
