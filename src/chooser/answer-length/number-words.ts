/** Numbers by their words. One is a number only behind a word that asks for a length. */
const plainWords: readonly (readonly [value: number, words: string])[] = [
  [
    1,
    'a an one single ein eine einem einen einer einzigen einziges un une uno una sola seul um uma numa num única één een enkel jeden jedno jednym jednej один одно одном одну одним bir tek एक واحدة واحد',
  ],
  [2, 'two couple zwei deux dos dois duas due twee dwa dwie dwóch два две двух iki İki दो'],
  [3, 'three drei trois tres três tre drie trzy trzech три трех трёх üç तीन ثلاث ثلاثة'],
  [4, 'four vier quatre cuatro quatro quattro cztery четыре четырех dört चार أربع أربعة'],
  [5, 'five fünf cinq cinco cinque vijf pięć пять пяти beş पांच पाँच خمس خمسة'],
  [6, 'six sechs seis sei zes sześć шесть altı छह ست ستة'],
  [7, 'seven sieben sept siete sete sette zeven siedem семь yedi सात سبع سبعة'],
  [8, 'eight acht huit ocho oito otto osiem восемь sekiz आठ ثماني ثمانية'],
  [9, 'nine neun neuf nueve nove negen dziewięć девять dokuz नौ تسع تسعة'],
  [10, 'ten zehn dix diez dez dieci tien dziesięć десять दस عشر عشرة'],
  [11, 'eleven onze once undici jedenaście одиннадцать'],
  [12, 'twelve dozen zwölf douze doce doze dodici twaalf dwanaście двенадцать'],
  [15, 'fifteen fünfzehn quinze quince quindici vijftien piętnaście пятнадцать'],
  [16, 'sixteen'],
  [18, 'eighteen'],
  [
    20,
    'twenty zwanzig vingt veinte vinte venti twintig dwadzieścia двадцать yirmi बीस عشرين عشرون',
  ],
  [25, 'fünfundzwanzig veinticinco venticinque vijfentwintig पच्चीस'],
  [30, 'thirty dreißig trente treinta trinta trenta dertig trzydzieści тридцать otuz तीस ثلاثين'],
  [40, 'forty vierzig quarante cuarenta quarenta quaranta veertig czterdzieści сорок kırk चालीस'],
  [
    50,
    'fifty fünfzig cinquante cincuenta cinquenta cinquanta vijftig pięćdziesiąt пятьдесят elli पचास خمسين خمسون',
  ],
  [60, 'sixty sechzig soixante sesenta sessenta sessanta zestig sześćdziesiąt шестьдесят altmış'],
  [70, 'seventy siebzig setenta settanta zeventig siedemdziesiąt семьдесят yetmiş'],
  [75, 'fünfundsiebzig'],
  [80, 'eighty achtzig ochenta oitenta ottanta tachtig osiemdziesiąt восемьдесят seksen'],
  [90, 'ninety neunzig noventa novanta negentig dziewięćdziesiąt девяносто doksan'],
  [
    100,
    'hundred hundert cent cents cien ciento cem cento honderd sto сто yüz सौ مائة مئة مئه مائه',
  ],
  [200, 'doscientas doscientos duzentas duzentos dwieście dwustu двести двухсот مائتي مئتي مائتين'],
  [
    300,
    'trescientas trescientos trezentas trezentos trzysta trzystu триста трехсот трёхсот ثلاثمائة ثلاثمئة',
  ],
  [
    400,
    'cuatrocientas cuatrocientos quatrocentas quatrocentos czterysta четыреста أربعمائة أربعمئة',
  ],
  [
    500,
    'quinientas quinientos quinhentas quinhentos pięćset pięciuset пятьсот пятисот خمسمائة خمسمئة',
  ],
  [600, 'seiscientas seiscientos seiscentas seiscentos sześćset шестьсот ستمائة ستمئة'],
  [700, 'setecientas setecientos setecentas setecentos siedemset семьсот سبعمائة سبعمئة'],
  [800, 'ochocientas ochocientos oitocentas oitocentos osiemset восемьсот ثمانمائة ثمانمئة'],
  [900, 'novecientas novecientos novecentas novecentos dziewięćset девятьсот تسعمائة تسعمئة'],
  [
    1000,
    'thousand tausend mille mil duizend tysiąc tysiąca тысячу тысяча тысячи bin हज़ार हज़ार हजार ألف الف',
  ],
  [1500, 'anderthalbtausend полторы'],
  [2000, 'ألفي ألفين الفين'],
];

/** Words that are numbers only behind another one: `2k`, `1.5 mila`, `пять тысяч`. */
const scaleWords: readonly (readonly [scale: number, words: string])[] = [
  [100, 'сот सैकड़ा'],
  [1000, 'k к thousands tsd mila tys tysiące tysięcy тыс тысяч آلاف الاف'],
  [100_000, 'लाख lakh'],
  [
    1_000_000,
    'million millions millionen millones milhão milhões milione milioni miljoen milion miliona миллион миллиона миллионов milyon مليون',
  ],
];

interface Compounds {
  readonly numbers: Readonly<Record<string, number>>;
  readonly hundred: string;
  readonly thousand: string;
  /** What may follow them in the same word. */
  readonly tails: Readonly<Record<string, number>>;
}

/** Languages that write such numbers in one word. */
const compounds: readonly Compounds[] = [
  {
    numbers: {
      ein: 1,
      zwei: 2,
      drei: 3,
      vier: 4,
      fünf: 5,
      sechs: 6,
      sieben: 7,
      acht: 8,
      neun: 9,
      zehn: 10,
      zwölf: 12,
      fünfzehn: 15,
      zwanzig: 20,
    },
    hundred: 'hundert',
    thousand: 'tausend',
    tails: { fünfzig: 50, zwanzig: 20, fünfhundert: 500, zweihundert: 200 },
  },
  {
    numbers: {
      twee: 2,
      drie: 3,
      vier: 4,
      vijf: 5,
      zes: 6,
      zeven: 7,
      acht: 8,
      negen: 9,
      tien: 10,
      twaalf: 12,
      vijftien: 15,
      twintig: 20,
    },
    hundred: 'honderd',
    thousand: 'duizend',
    tails: { vijftig: 50, twintig: 20, vijfhonderd: 500 },
  },
  {
    numbers: {
      due: 2,
      tre: 3,
      quattro: 4,
      cinque: 5,
      sei: 6,
      sette: 7,
      otto: 8,
      nove: 9,
      dieci: 10,
      dodici: 12,
      quindici: 15,
      venti: 20,
    },
    hundred: 'cento',
    thousand: 'mila',
    tails: { cinquanta: 50, venti: 20, cinquecento: 500 },
  },
  {
    numbers: { '': 1 },
    hundred: 'cento',
    thousand: 'mille',
    tails: { cinquanta: 50, venti: 20, cinquecento: 500, duecento: 200 },
  },
  {
    numbers: { iki: 2, üç: 3, dört: 4, beş: 5, altı: 6, yedi: 7, sekiz: 8, dokuz: 9 },
    hundred: 'yüz',
    thousand: 'bin',
    tails: { elli: 50 },
  },
];

function* compoundWords(): Generator<readonly [value: number, word: string]> {
  for (const { numbers, hundred, thousand, tails } of compounds)
    for (const [name, number] of Object.entries(numbers))
      for (const [scale, scaleName] of [
        [100, hundred],
        [1000, thousand],
      ] as const) {
        yield [number * scale, name + scaleName];
        for (const [tail, more] of Object.entries(tails))
          if (more < scale) yield [number * scale + more, name + scaleName + tail];
      }
}

/** Every word that stands for a number, in lower case. */
export const numberWords: readonly (readonly [value: number, word: string])[] = [
  ...plainWords.flatMap(([value, words]) =>
    words.split(' ').map((word): [number, string] => [value, word]),
  ),
  ...compoundWords(),
];

/** Every word that multiplies the number before it, and is none by itself. */
export const multipliers: readonly (readonly [scale: number, word: string])[] = scaleWords.flatMap(
  ([scale, words]) => words.split(' ').map((word): [number, string] => [scale, word]),
);

const isScale = (value: number): boolean =>
  value === 100 || value === 1000 || value >= scaleWords[2]![0];

/** What a number ends with, as far as smaller numbers may be added: 1000 behind `two thousand`. */
const restOf = (tail: number): number =>
  tail < 20 ? 0 : ([1000, 100, 10].find((scale) => tail % scale === 0) ?? 0);

/**
 * The last part of a number that a further word belongs to: of `two thousand` 2000, of `mil
 * quinientas` 500; null if the word is a number of its own.
 * @param tail the last part of the number so far
 * @param isSpelled whether that number is in words: digits are only multiplied
 */
export function nextPart(tail: number, value: number, isSpelled: boolean): number | null {
  if (isScale(value) && tail < value) return tail * value;
  return isSpelled && value < restOf(tail) ? value : null;
}
