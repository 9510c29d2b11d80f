// @ts-check
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a gateway: on SIGUSR2 it prints the longest gap of a 2 ms timer since the last, and
 * what reading 2 MB of JSON in one step takes at this moment: machines differ, and the same machine
 * from minute to minute. Of a gap counts only the time in which the process had a processor.
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
  const json = JSON.stringify(
    Array.from({ length: 40_000 }, (_, at) => ({ at, text: `text ${at} `.repeat(2) })),
  );
  const reading = () => {
    const start = performance.now();
    JSON.parse(json);
    return performance.now() - start;
  };
  process.on('SIGUSR2', () => {
    const measure = Math.min(reading(), reading(), reading());
    process.stdout.write(
      `gap ${++reports}: ${longest.toFixed(1)} of ${measure.toFixed(1)} rss ${process.memoryUsage.rss()}\n`,
    );
    longest = 0;
    [last, lastUsed] = [performance.now(), usedMs()];
  });
}
