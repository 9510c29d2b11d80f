const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** A sentence with one of these, and else only with words of courtesy, asks for nothing. */
const pleas = `
  hello hi hey yo dear please pls kindly help assist morning afternoon evening greetings thank thanks thx
  appreciate appreciated grateful cheers regards sincerely
  hallo guten bitte danke dank helfen grüße
  bonjour bonsoir salut merci plaît aider cordialement
  hola buenos buenas gracias favor ayudarme ayudar saludos
  olá oi obrigado obrigada ajudar ciao buongiorno buonasera grazie aiutarmi
`;
const telling = setOf(pleas);
const courteous = setOf(`${pleas}
  a an the i we you your it this that these there some few quick something anything someone anyone
  following below in on out with for to of and so very much lot many really all again time if whether
  was were am is are re ve m s ll d hope doing well find be have has need want wanted wondering would
  will could can may might do does us me my like love able possible question questions task problem
  request ask just assistance support hand favour assistant sir madam team everyone friend good great
  nice wonderful day advance best kind soon looking forward answer reply response
  tag morgen abend vielen im voraus kannst könntest können könnten du sie mir uns dabei damit bei
  dieser diesem frage aufgabe viele liebe lieber
  beaucoup avance il te vous pouvez pourriez peux pourrais tu nous avec ceci cela bien
  días tardes noches muchas por puedes podrías puede podría con esto de antemano
  bom boa dia tarde noite muito pode poderia isso isto
  mille per favore puoi potresti con questo anticipo
`);

const maxSentence = 100,
  maxSentences = 3;
/** Numbers and signs of mathematics too: `please help me with 12 * 37` asks for something. */
const word = /[\p{L}\p{N}\p{Sm}*^/]+/gu;
const anything = /[\p{L}\p{N}\p{Sm}]/u;
const sentenceEnd = /[.!?:\n]/;
const isBlank = (sign: string): boolean => sign === ' ' || sign === '\n';
/** What stands before a text that the request is about. */
const introducing = /[:"“„«'(]\s*$/;

/** @param isBeside whether it stands beside a sentence of courtesy */
function isCourtesy(sentence: string, isBeside: boolean): boolean {
  let isTelling = isBeside;
  for (const [found] of sentence.toLowerCase().matchAll(word)) {
    if (!courteous.has(found)) return false;
    isTelling ||= telling.has(found);
  }
  return isTelling;
}

/** Where the first sentence ends, with all its marks; -1: it is long, or the whole text. */
function endOfFirst(text: string, from: number): number {
  const last = Math.min(text.length, from + maxSentence);
  let at = from;
  while (at < last && isBlank(text[at]!)) at++;
  while (at < last && !sentenceEnd.test(text[at]!)) at++;
  while (at < last && (sentenceEnd.test(text[at]!) || text[at] === ' ')) at++;
  return at === last ? -1 : at;
}

/** Where the last sentence before `to` begins; -1: it is long, or the whole text. */
function startOfLast(text: string, from: number, to: number): number {
  const first = Math.max(from, to - maxSentence);
  let at = to;
  while (at > first && (sentenceEnd.test(text[at - 1]!) || text[at - 1] === ' ')) at--;
  while (at > first && !sentenceEnd.test(text[at - 1]!)) at--;
  return at === first ? -1 : at;
}

/**
 * The text without greetings, pleas for help and thanks at both ends, which say nothing of how hard
 * it is; empty if it consists of nothing else. Knows some European languages. What a colon or a
 * quotation mark introduces stays: it may be what is to be translated.
 */
export function withoutCourtesy(text: string): string {
  if (text.length <= maxSentence && isCourtesy(text, false)) return '';
  let from = 0,
    to = text.length;
  for (let count = 0; count < maxSentences; count++) {
    const end = endOfFirst(text, from);
    if (end < 0 || !isCourtesy(text.slice(from, end), count > 0)) break;
    from = end;
  }
  for (let count = 0; count < maxSentences; count++) {
    const start = startOfLast(text, from, to);
    if (start < 0 || !isCourtesy(text.slice(start, to), false)) break;
    if (introducing.test(text.slice(Math.max(0, start - maxSentence), start))) break;
    to = start;
  }
  if (from === 0 && to === text.length) return text;
  const left = text.slice(from, to).trim();
  return anything.test(left) && !isCourtesy(left, true) ? left : '';
}
