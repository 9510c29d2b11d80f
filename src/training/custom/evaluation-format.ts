/** The format of evaluations by their first character: a line of JSON begins with a brace. */
export function formatOf(text: string): 'csv' | 'jsonl' {
  return /^\ufeff?\s*\{/.test(text.slice(0, 1000)) ? 'jsonl' : 'csv';
}
