// @ts-check
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a gateway: on SIGUSR2 it prints the longest gap of a 2 ms timer since the last. Of
 * a gap counts only the time in which the process had a processor: others may be busy.
 */
if (isMainThread) {
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let [last, lastUsed, longest, reports] = [performance.now(), usedMs(), 0, 0];
  setInterval(() => {
    const [now, used] = [performance.now(), usedMs()];
    longest = Math.max(longest, Math.min(now - last - 2, used - lastUsed));
    [last, lastUsed] = [now, used];
  }, 2).unref();
  process.on('SIGUSR2', () => {
    process.stdout.write(
      `gap ${++reports}: ${longest.toFixed(1)} rss ${process.memoryUsage.rss()}\n`,
    );
    longest = 0;
    [last, lastUsed] = [performance.now(), usedMs()];
  });
}
