// Preloaded: a server is told that it listens only when a program that ends at once has long ended.
import net from "node:net";

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenLate(path, done) {
  return listen.call(this, path, () => setTimeout(done, 500));
};
