/** What a length is stated in. */
export const units = [
  'tokens',
  'characters',
  'words',
  'pages',
  'paragraphs',
  'sentences',
  'lines',
  'items',
] as const;
export type Unit = (typeof units)[number];

/** Words of a unit for each unit; a bullet point is longer than a line. */
const wordsIn: Readonly<Record<Exclude<Unit, 'tokens' | 'characters'>, number>> = {
  words: 1,
  pages: 450,
  paragraphs: 85,
  sentences: 19,
  lines: 9,
  items: 22,
};

/** How a language is written in tokens of current vocabularies. */
interface Rate {
  readonly tokensPerWord: number;
  readonly charactersPerToken: number;
  /** By unit: its name in all forms that a request uses. */
  readonly names: Readonly<Partial<Record<Unit, string>>>;
}

/** Languages whose words are divided by spaces. */
export const languages: readonly Rate[] = [
  {
    tokensPerWord: 1.33,
    charactersPerToken: 4.4,
    names: {
      tokens: 'token tokens',
      characters: 'character characters char chars letters',
      words: 'word words',
      pages: 'page pages pager',
      paragraphs: 'paragraph paragraphs stanza stanzas section sections',
      sentences: 'sentence sentences phrases',
      lines: 'line lines liner verses slides',
      items:
        'bullet bullets point points item items ideas examples suggestions tips reasons questions steps facts options names titles headlines ways',
    },
  },
  {
    tokensPerWord: 1.8,
    charactersPerToken: 3.7,
    names: {
      characters: 'zeichen buchstaben',
      words: 'wort wörter worte wörtern worten',
      pages: 'seite seiten',
      paragraphs: 'absatz absätze absätzen abschnitte abschnitten strophen',
      sentences: 'satz sätze sätzen',
      lines: 'zeile zeilen',
      items:
        'stichpunkt stichpunkte stichpunkten punkte punkten stichworte ideen beispiele tipps gründe fragen vorschläge',
    },
  },
  {
    tokensPerWord: 1.5,
    charactersPerToken: 3.8,
    names: {
      characters:
        'caractère caractères caracteres caracter carácter caractere caratteri carattere tekens',
      words: 'mot mots palabra palabras palavra palavras parola parole woord woorden',
      pages: 'página páginas pagina pagine bladzijden',
      paragraphs:
        'paragraphe paragraphes párrafo párrafos parágrafo parágrafos paragrafo paragrafi alinea alineas',
      sentences: 'phrase oración oraciones frase frases frasi zin zinnen sentencias',
      lines: 'ligne lignes línea líneas linha linhas riga righe regel regels',
      items:
        'puces puntos pontos tópicos punti punten opsommingen idées exemples conseils raisons ejemplos consejos razones exemplos dicas esempi consigli voorbeelden',
    },
  },
  {
    tokensPerWord: 2.2,
    charactersPerToken: 3,
    names: {
      characters: 'znaków znaki символов символа символы знаков знака karakter karakteri',
      words:
        'słowo słowa słów słowach słowami слово слова слов словах словами kelime kelimelik kelimeyle kelimede kelimeyi',
      pages: 'strona strony stron stronę страница страницы страниц страницу sayfa sayfalık',
      paragraphs:
        'akapit akapity akapitów akapitach абзац абзаца абзацы абзацев абзацах paragraflık paragraf',
      sentences:
        'zdanie zdania zdań zdaniu zdaniach предложение предложения предложений предложении предложениях cümle cümlede cümleyle cümlelik',
      lines: 'linijka linijki wersów строка строки строк строках satır satırda',
      items:
        'punktów punkty punktach przykładów пунктов пункта пункты примеров примера madde maddede örnek',
    },
  },
  {
    tokensPerWord: 2,
    charactersPerToken: 2.6,
    names: {
      characters: 'حرف حرفا حروف अक्षर अक्षरों',
      words: 'كلمة كلمات शब्द शब्दों',
      pages: 'صفحة صفحات पृष्ठ पेज पन्ने',
      paragraphs: 'فقرة فقرات अनुच्छेद अनुच्छेदों पैराग्राफ',
      sentences: 'جملة جمل वाक्य वाक्यों',
      lines: 'سطر أسطر सطور पंक्ति पंक्तियों',
      items: 'نقاط نقطة أمثلة बिंदु बिंदुओं उदाहरण',
    },
  },
];

/** Tokens of a sign of Chinese, Japanese or Korean, and how many signs stand for a word. */
const wideTokens = 0.8,
  wideSignsPerWord = 1.7;

/** Units that directly follow a number in Chinese, Japanese and Korean, longer ones first. */
export const wideUnits: readonly (readonly [text: string, unit: Unit])[] = [
  ...['个单词', '個單詞', '个词', '個詞', '単語', '单词', '單詞', '단어', '词', '詞'].map(
    (text) => [text, 'words'] as const,
  ),
  ...['个字', '個字', '字', '文字', '글자', '자'].map((text) => [text, 'characters'] as const),
  ...['句', '个句子', '個句子', '문장'].map((text) => [text, 'sentences'] as const),
  ...['段', '个段落', '個段落', '문단', '단락'].map((text) => [text, 'paragraphs'] as const),
  ...['页', '頁', 'ページ', '페이지', '쪽'].map((text) => [text, 'pages'] as const),
  ...['行', '줄'].map((text) => [text, 'lines'] as const),
  ...['点', '點', '条', '條', '个要点', '個要點', '个例子', '项', '項目', '가지', '개'].map(
    (text) => [text, 'items'] as const,
  ),
  ['文', 'sentences'],
];

/** Tokens of a stated length, in the language (a place in `languages`) that names its unit. */
export function tokensOf(amount: number, unit: Unit, language: number): number {
  if (unit === 'tokens') return amount;
  const { tokensPerWord, charactersPerToken } = languages[language]!;
  return unit === 'characters'
    ? amount / charactersPerToken
    : amount * wordsIn[unit] * tokensPerWord;
}

/** Tokens of a length that is stated in Chinese, Japanese or Korean. */
export function wideTokensOf(amount: number, unit: Unit): number {
  if (unit === 'tokens') return amount;
  const signs = unit === 'characters' ? 1 : wordsIn[unit] * wideSignsPerWord;
  return amount * signs * wideTokens;
}
