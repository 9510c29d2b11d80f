/**
 * Returns a function that prints progress to standard error, one line for each new percentage or
 * step of the work; a line is never printed twice in a row.
 * @param steps how many steps the percentage moves in: 100 prints every percent, 10 every tenth
 */
export function printProgress(steps: number): (share: number, step: string) => void {
  let last = '';
  return (share, step) => {
    const percent = (Math.floor(share * steps) * 100) / steps;
    const line = `${String(percent).padStart(3)} %  ${step}\n`;
    if (line !== last) process.stderr.write((last = line));
  };
}
