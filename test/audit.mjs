// @ts-check
/**
 * `npm audit` of the production packages, for CI: fails at known vulnerabilities of high or critical
 * severity. A registry that does not answer, or has no audit, is reported and is no failure.
 */
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
  maxBuffer: 64 * 1024 * 1024,
});

/** @returns {any} the report, or null if npm printed none */
function parsed() {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

const report = parsed();
const counts = report?.metadata?.vulnerabilities;
if (!counts) {
  console.log(
    `npm audit does not answer here: ${report?.message ?? (stdout.trim() || 'no output')}`,
  );
} else {
  console.log(`npm audit: ${JSON.stringify(counts)}`);
  const severe = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  );
  for (const { name, severity, range } of severe) console.error(`${severity}: ${name} ${range}`);
  if (counts.high + counts.critical > 0) process.exitCode = 1;
}
