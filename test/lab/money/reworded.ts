import type { PeoplesConversation } from './people.js';

/** Words around a request, by language: before an answer, a greeting, thanks, a plea. */
const words: Readonly<Record<string, readonly [string, string, string, string]>> = {
  en: ['Answer:', 'Hello!', 'Thank you very much.', 'Please:'],
  de: ['Antwort:', 'Guten Tag!', 'Vielen Dank.', 'Bitte:'],
  fr: ['Réponse :', 'Bonjour !', 'Merci beaucoup.', "S'il vous plaît :"],
  es: ['Respuesta:', '¡Hola!', 'Muchas gracias.', 'Por favor:'],
  it: ['Risposta:', 'Ciao!', 'Grazie mille.', 'Per favore:'],
  pt: ['Resposta:', 'Olá!', 'Muito obrigado.', 'Por favor:'],
  nl: ['Antwoord:', 'Hallo!', 'Dank je wel.', 'Alsjeblieft:'],
  pl: ['Odpowiedź:', 'Dzień dobry!', 'Dziękuję bardzo.', 'Proszę:'],
  ru: ['Ответ:', 'Здравствуйте!', 'Большое спасибо.', 'Пожалуйста:'],
  zh: ['答案:', '你好!', '谢谢。', '请:'],
  ja: ['答え:', 'こんにちは。', 'ありがとうございます。', 'お願いします:'],
  ko: ['답:', '안녕하세요!', '감사합니다.', '부탁합니다:'],
  ar: ['الجواب:', 'مرحبا!', 'شكرا جزيلا.', 'من فضلك:'],
  hi: ['उत्तर:', 'नमस्ते!', 'बहुत धन्यवाद।', 'कृपया:'],
  tr: ['Cevap:', 'Merhaba!', 'Çok teşekkürler.', 'Lütfen:'],
};

/** Lines whose capitals mean something: code. */
const exact = /[{}[\]=;_\\$<>`|]|\w\(/;
const finalMark = /[.?!。?!؟।]+$/u;

/** Harmless rewordings by name: what is asked stays the same. */
const rewordings: Readonly<Record<string, (text: string, language: string) => string>> = {
  'white space at the ends': (text) => `\n ${text}  \n`,
  'spaces doubled': (text) => (exact.test(text) ? text : text.replaceAll(' ', '  ')),
  'a final mark less or more': (text) =>
    finalMark.test(text) ? text.replace(finalMark, '') : `${text}.`,
  'Answer: behind': (text, language) => `${text}\n${words[language]![0]}`,
  'Answer: before': (text, language) => `${words[language]![0]} ${text}`,
  'courtesy before': (text, language) => `${words[language]![1]} ${text}`,
  'courtesy behind': (text, language) => `${text}\n${words[language]![2]}`,
  'small letters': (text) => (exact.test(text) ? text : text.toLowerCase()),
  'Please:': (text, language) => `${words[language]![3]} ${text}`,
};

/** The conversation with its last turn reworded, by the name of the rewording, where that changes it. */
export function reworded(
  conversation: PeoplesConversation,
): readonly (readonly [name: string, reworded: PeoplesConversation])[] {
  const { messages, language } = conversation;
  const last = messages.at(-1)!;
  if (last.role !== 'user' || typeof last.content !== 'string') return [];
  const text = last.content;
  return Object.entries(rewordings).flatMap(([name, reword]) => {
    const content = reword(text, language);
    const changed = { ...conversation, messages: [...messages.slice(0, -1), { ...last, content }] };
    return content === text ? [] : [[name, changed] as const];
  });
}
