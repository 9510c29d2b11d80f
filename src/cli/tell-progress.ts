/** Says on standard error how far something is, in so many parts of the whole, and what is done: each line once. */
export function tellProgress(parts: number): (share: number, doing: string) => void {
  let last = '';
  return (share, doing) => {
    const line = `${String((Math.floor(share * parts) * 100) / parts).padStart(3)} %  ${doing}\n`;
    if (line !== last) process.stderr.write((last = line));
  };
}
