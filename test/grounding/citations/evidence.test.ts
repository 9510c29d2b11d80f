import { atOnce } from '../../../src/async/turns.js';
import { describe, expect, it } from 'vitest';
import { CitedText } from '../../../src/grounding/citations/cited-text.js';
import { answerSources } from '../../helpers/cited-answers.js';

const pages = {
  berlin: {
    title: 'Berlin – City portal',
    text:
      'Berlin is the capital of Germany. [Menu](https://berlin.example/menu) | Contact\n\n' +
      'As of 31 December 2023 the city had 3,782,202 inhabitants on an area of 891.1 km². ' +
      'The Brandenburg Gate was built between 1788 and 1791 under Carl Gotthard Langhans.\n\n' +
      'Mayor Kai Wegner said: “We will build twenty thousand flats a year — and not one less.” ' +
      'Hamburg had 1,910,160 inhabitants at that time.\n\n' +
      'Unemployment fell from 9.1% to 8.8 percent. The budget is 39.3 billion euros. ' +
      'The [Spree](https://berlin.example/spree) flows through the city for 44 kilometres.',
  },
  berlinDe: {
    title: 'Berlin',
    text:
      'Berlin ist die Hauptstadt der Bundesrepublik Deutschland. Ende 2023 lebten in der Stadt 3.782.202 Einwohner ' +
      'auf einer Fläche von 891,1 Quadratkilometern. Das Brandenburger Tor wurde zwischen 1788 und 1791 von Carl ' +
      'Gotthard Langhans errichtet. Der Bürgermeister sagte: „Wir bauen zwanzigtausend Wohnungen im Jahr.“',
  },
  paris: {
    title: 'Paris',
    text:
      'La tour Eiffel, construite par Gustave Eiffel et ses collaborateurs pour l’Exposition universelle de 1889, ' +
      'mesure 330 mètres de hauteur. En 2022, la tour a reçu 5,9 millions de visiteurs. « Elle est à nous tous », dit la maire.',
  },
  madrid: {
    title: 'Madrid',
    text:
      'El Museo del Prado abrió sus puertas el 19 de noviembre de 1819. En 2023 recibió 3.337.550 visitantes. ' +
      'La colección tiene unas 8.600 pinturas.',
  },
  tokyo: {
    title: '東京都',
    text:
      '東京都は日本の首都である。2024年の人口は約1417万人で、面積は2,194平方キロメートルである。' +
      '東京タワーは1958年に完成し、高さは333メートルである。知事は「世界一の都市を目指す」と述べた。',
  },
  beijing: {
    title: '北京',
    text:
      '北京是中华人民共和国的首都。2023年末，全市常住人口为2185.8万人，面积16410平方公里。' +
      '故宫建成于1420年，有9000多间房屋。上海的人口为2487万。',
  },
  moscow: {
    title: 'Москва',
    text:
      'Москва — столица России. Население города составляет 13 149 803 человека (2024). ' +
      'Московский Кремль был построен в 1482—1495 годах.',
  },
  cairo: {
    title: 'القاهرة',
    text: 'القاهرة هي عاصمة جمهورية مصر العربية. بلغ عدد سكان المدينة ١٠٬٢٠٣٬٦٩٣ نسمة عام ٢٠٢٣.',
  },
  seoul: {
    title: '서울',
    text: '서울특별시는 대한민국의 수도이다. 2023년 인구는 938만 명이며 면적은 605.2제곱킬로미터이다.',
  },
} as const;
type Page = keyof typeof pages;

/** What the citation of a claim quotes from a page; false if it is not verified. */
function quoteFor(claim: string, page: Page): string | false {
  const answer = new CitedText(answerSources([pages[page]]));
  answer.push(`${claim} [1]`);
  answer.end();
  const [citation] = atOnce(answer.citations());
  expect(citation).toBeDefined();
  if (citation!.verified === false) expect(citation!.quote).toBe('');
  return citation!.verified === 'text' ? citation!.quote : false;
}

describe('a claim that its source supports', () => {
  it.each<[Page, string, string]>([
    ['berlin', 'Berlin is the capital of Germany', 'Berlin is the capital'],
    ['berlin', 'Berlin had 3,782,202 inhabitants at the end of 2023', '3,782,202'],
    ['berlin', 'Berlin has about 3.8 million inhabitants', '3,782,202'],
    ['berlin', 'The city had roughly 3.78 million inhabitants in 2023', '3,782,202'],
    ['berlin', 'It covers an area of 891.1 km²', '891.1'],
    ['berlin', 'Carl Gotthard Langhans built the Brandenburg Gate from 1788 to 1791', 'Langhans'],
    ['berlin', 'The **Brandenburg Gate** was built by `Langhans`', 'Langhans'],
    ['berlin', 'Hamburg had 1.91 million inhabitants', '1,910,160'],
    ['berlin', 'Unemployment fell to 8.8%', '8.8 percent'],
    ['berlin', "Berlin's budget amounts to 39.3 bn euros", '39.3 billion'],
    ['berlin', 'For 44 kilometres the Spree flows through Berlin', 'The Spree flows'],
    [
      'berlin',
      'Wegner promised that "we will build twenty thousand flats a year - and not one less"',
      'We will build twenty thousand flats a year — and not one less',
    ],
    ['berlin', '«We will BUILD twenty   thousand flats»', 'We will build twenty thousand flats'],
    [
      'berlin',
      'He said “We will build … and not one less”',
      'We will build twenty thousand flats a year — and not one less',
    ],
    ['berlin', 'On 31 December 2023 the area of the city was 891.1 km²', '891.1'],
    ['berlinDe', 'Berlin ist die Hauptstadt Deutschlands', 'Hauptstadt'],
    ['berlinDe', 'In der Stadt lebten Ende 2023 rund 3,78 Millionen Einwohner', '3.782.202'],
    ['berlinDe', 'Die Fläche beträgt 891,1 Quadratkilometer', '891,1'],
    ['berlinDe', 'Das Brandenburger Tor errichtete Carl Gotthard Langhans', 'Langhans'],
    [
      'berlinDe',
      '„Wir bauen zwanzigtausend Wohnungen im Jahr“, sagte er',
      'Wir bauen zwanzigtausend',
    ],
    ['paris', 'La tour Eiffel mesure 330 m de hauteur', '330 mètres'],
    ['paris', 'La tour a accueilli 5,9 millions de visiteurs en 2022', '5,9 millions'],
    ['paris', 'La maire : « Elle est à nous tous »', 'Elle est à nous tous'],
    ['madrid', 'El Prado recibió 3,3 millones de visitantes en 2023', '3.337.550'],
    ['madrid', 'El museo abrió el 19 de noviembre de 1819', '1819'],
    ['tokyo', '東京の人口は約1417万人である', '1417万人'],
    ['tokyo', '東京タワーの高さは333メートル', '333'],
    ['tokyo', '知事は「世界一の都市を目指す」と語った', '世界一の都市を目指す'],
    ['beijing', '北京2023年常住人口为2185.8万人', '2185.8万'],
    ['beijing', '故宫于1420年建成', '1420'],
    ['moscow', 'Население Москвы составляет 13 149 803 человека', '13 149 803'],
    ['moscow', 'Москва — столица России', 'столица'],
    ['cairo', 'بلغ عدد سكان القاهرة 10,203,693 نسمة', '١٠٬٢٠٣٬٦٩٣'],
    ['seoul', '서울의 2023년 인구는 938만 명이다', '938만'],
  ])('quotes %s for %j', (page, claim, expected) => {
    const quote = quoteFor(claim, page);
    expect(quote).toContain(expected);
    expect(String(quote)).not.toContain('](');
  });
});

describe('a claim that its source does not support', () => {
  it.each<[Page, string]>([
    ['berlin', 'Berlin had 3,872,202 inhabitants in 2023'],
    ['berlin', 'Berlin has about 4.8 million inhabitants'],
    ['berlin', 'Berlin has 3.78 billion inhabitants'],
    ['berlin', 'Munich had 3,782,202 inhabitants in 2023'],
    ['berlin', 'Munich is the capital of Germany'],
    ['berlin', 'The Brandenburg Gate was built between 1788 and 1792'],
    ['berlin', 'Karl Friedrich Schinkel built the Brandenburg Gate from 1788 to 1791'],
    ['berlin', 'Hamburg had 3,782,202 inhabitants'],
    ['berlin', 'The budget is 39.3 million euros'],
    ['berlin', 'Wegner said “we will build thirty thousand flats next year and not one more”'],
    ['berlin', 'The airport was opened after many years of delays'],
    ['berlin', 'Yes'],
    ['berlin', 'It is 44'],
    ['berlinDe', 'Hamburg ist die Hauptstadt der Bundesrepublik Deutschland'],
    ['berlinDe', 'Ende 2023 lebten dort 3,87 Millionen Einwohner'],
    ['berlinDe', 'Das Tor wurde 1878 errichtet'],
    ['paris', 'La tour Eiffel mesure 320 mètres'],
    ['paris', 'La tour Montparnasse mesure 330 mètres'],
    ['madrid', 'El museo Reina Sofía recibió 3.337.550 visitantes'],
    ['madrid', 'El museo abrió en 1829'],
    ['tokyo', '東京の人口は約1517万人である'],
    ['tokyo', '大阪城の入場者は1417万人である'],
    ['beijing', '故宫于1520年建成'],
    ['beijing', '广州的面积为16410平方公里'],
    ['moscow', 'Население Москвы составляет 12 149 803 человека'],
    ['moscow', 'Казань — столица России'],
    ['cairo', 'بلغ عدد سكان القاهرة 11,203,693 نسمة'],
    ['seoul', '부산의 2023년 면적은 905.2제곱킬로미터이다'],
  ])('has no quote from %s: %j', (page, claim) => {
    expect(quoteFor(claim, page)).toBe(false);
  });
});

/** Known to be out of reach of a comparison of words. */
it('a claim that turns the sense of its source around is not told from it', () => {
  expect(quoteFor('Berlin is not the capital of Germany', 'berlin')).not.toBe(false);
});

it('a long sentence is quoted up to 300 characters', () => {
  const text = `Bonn had 336,000 inhabitants, ${'and more 😀 '.repeat(60)}.`;
  const answer = new CitedText(answerSources([{ text }]));
  answer.push('Bonn had 336,000 inhabitants [1]');
  answer.end();
  const { quote } = atOnce(answer.citations())[0]!;
  expect(quote.length).toBeGreaterThan(250);
  expect(quote.length).toBeLessThanOrEqual(300);
  expect(text).toContain(quote);
});
