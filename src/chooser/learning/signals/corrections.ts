/**
 * What begins a turn that corrects the answer before it. Also said in answer to a question: these
 * count only if the answer asked none.
 */
const denials = [
  'no|nope',
  'nein|nö',
  'non',
  'no',
  'não',
  'nee',
  'nej',
  'nei',
  'nie',
  'ne',
  'нет|ні',
  'hayır',
  'いいえ|違う|ちがう',
  '不|不是|不对|不對',
  '아니|아니요|아뇨',
  'لا',
  'नहीं',
].join('|');

/** What says plainly that an answer was wrong. */
const complaints = [
  // English
  "(?:no,? )?(?:that|this|it)(?:'s|’s| is| was)(?: still| just| simply)? (?:wrong|incorrect|not (?:right|correct|true|what i))",
  '(?:still )?(?:wrong|incorrect)\\b',
  'you (?:misunderstood|are wrong|got (?:it|that) wrong)',
  "(?:that|this) (?:doesn't|does not|doesn’t|didn't|did not) work",
  "i (?:didn't|did not|didn’t) (?:ask|mean)",
  // German
  '(?:nein,? )?(?:das|es) (?:ist|war|stimmt)(?: so| immer noch| leider)? (?:falsch|nicht|verkehrt)',
  '(?:immer noch )?falsch\\b',
  'stimmt nicht',
  // French, Spanish, Portuguese, Italian
  "(?:non,? )?c(?:'|’)est (?:faux|incorrect|pas (?:ça|correct|juste))",
  '(?:no,? )?(?:eso |esto )?(?:está mal|es incorrecto|no es (?:correcto|cierto))',
  '(?:não,? )?(?:isso )?(?:está errado|não está certo)',
  '(?:no,? )?(?:è sbagliato|non è (?:corretto|giusto))',
  // Dutch, Swedish, Danish, Norwegian, Polish, Czech
  '(?:nee,? )?dat (?:is|klopt) (?:fout|niet)',
  '(?:nej,? |nei,? )?det (?:är|er) (?:fel|forkert|feil|inte rätt|ikke rigtigt|ikke riktig)',
  '(?:nie,? )?to (?:jest )?(?:błąd|nieprawda|źle)',
  '(?:ne,? )?to je (?:špatně|chyba)',
  // Russian, Ukrainian, Turkish
  '(?:нет,? )?(?:это )?(?:неправильно|неверно|не так)',
  '(?:ні,? )?(?:це )?неправильно',
  '(?:hayır,? )?(?:bu )?yanlış',
  // Japanese, Chinese, Korean, Arabic, Hindi
  '(?:それは)?(?:違います|間違い|間違って)',
  '(?:这|這)?(?:是)?(?:错|錯)(?:的|了|误|誤)',
  '(?:그건 )?(?:틀렸|틀린|잘못)',
  '(?:هذا )?(?:خطأ|غير صحيح)',
  '(?:यह )?गलत',
].join('|');

/** A refusal of more, or thanks: no correction. */
const contentment =
  "(?:thanks|thank you|thx|problem|worries|need|danke|merci|gracias|obrigad[oa]|grazie|dank|tack|tak|takk|dzięki|děkuji|спасибо|дякую|teşekkür|(?:that|it)(?:'s|’s| is) (?:fine|ok|okay|all|it|perfect|great|good|enough)|das (?:passt|reicht|war)|(?:c'est|ça) (?:bon|va|tout))";

const complaint = new RegExp(`^(?:${complaints})`, 'iu');
const denial = new RegExp(
  `^(?:${denials})(?:[,.!:;—–،。、，！]|\\s+[-–—]|$)(?!\\s*${contentment}(?![\\p{L}]))`,
  'iu',
);

/** A longer turn is a task of its own. */
const maxLength = 300;

/**
 * Whether a turn begins by correcting the answer before it, in one of two dozen languages.
 * @param hasAsked whether that answer ended with a question, to which "no" is an answer
 */
export function isCorrection(text: string, hasAsked: boolean): boolean {
  const turn = text.trimStart().replace(/^[\s"'“„«(¡]+/u, '');
  if (turn.length === 0 || turn.length > maxLength) return false;
  return complaint.test(turn) || (!hasAsked && denial.test(turn));
}
