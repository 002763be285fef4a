// Preloaded: a server learns that it listens only long after a program that ends at once has ended.
import net from "node:net";

const { emit } = net.Server.prototype;
net.Server.prototype.emit = function emitLate(event, ...values) {
  if (event !== "listening") return emit.call(this, event, ...values);
  setTimeout(() => emit.call(this, event, ...values), 500);
  return true;
};
