// Answers as models write them: true and false claims about the generated corpus, and links to pages
// that nobody retrieved in every form that a renderer makes a link of.

/** A generator of numbers from 0 to 1 that gives the same ones each time. */
export function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const facts = [
  {
    pattern: /^Construction of the (\w+) in (\w+) was finished in (\d+) under (\w+ \w+)\.$/,
    read: ([, thing, place, year, builder]) => ({ thing, place, year, builder }),
    say: [
      ({ thing, place, year, builder }) =>
        `The ${thing} in ${place} was finished in ${year} under ${builder}`,
      ({ thing, place, year, builder }) =>
        `Under ${builder}, construction of the ${thing} of ${place} was finished in ${year}`,
      ({ thing, place, year }) => `${place} finished the construction of its ${thing} in ${year}`,
      ({ thing, place, year, builder }) =>
        `${builder} completed ${place}'s ${thing} in ${year}, after long works`,
      ({ thing, place, year }) =>
        `The town of ${place} got its ${thing} in ${year}, when the construction ended`,
      ({ thing, place, year, builder }) =>
        `It was **${builder}** who finished the ${thing} in ${place} in the year ${year}`,
    ],
    wrong: ['year', 'builder', 'place'],
  },
  {
    pattern: /^The (\w+) (\w+) had been financed by a loan of (\d+) crowns\.$/,
    read: ([, place, thing, cost]) => ({ place, thing, cost }),
    say: [
      ({ thing, place, cost }) =>
        `The ${thing} of ${place} was financed by a loan of ${Number(cost).toLocaleString('en')} crowns`,
      ({ thing, place, cost }) => `A loan of ${cost} crowns had financed the ${thing} in ${place}`,
      ({ thing, cost }) =>
        `About ${(cost / 1_000).toFixed(1)} thousand crowns were lent to finance the ${thing}`,
    ],
    wrong: ['cost', 'place'],
  },
  {
    pattern:
      /^Since (\d+) the building above the town of (\w+) has housed a school, because the (\w+) was closed\.$/,
    read: ([, year, place, thing]) => ({ year, place, thing }),
    say: [
      ({ year, place, thing }) =>
        `Because the ${thing} was closed, the building above ${place} has housed a school since ${year}`,
      ({ year, place }) =>
        `Pupils have been taught in the building above ${place} since ${year}, when it became a school`,
      ({ year, place }) =>
        `The building above the town of ${place} has been housing a school since ${year}`,
      ({ thing, place, year }) =>
        `The ${thing} was closed, and since ${year} there has been a school in the building above ${place} that "has housed a school"`,
    ],
    wrong: ['year', 'place'],
  },
];

const pick = (next, values) => values[Math.floor(next() * values.length)];

/** What a wrong claim says: names that other pages have, and often this one too. */
const others = {
  year: (next, year) => String(Number(year) + 1 + Math.floor(next() * 40)),
  cost: (next, cost) => String(Number(cost) + 1_000 + Math.floor(next() * 5_000)),
  builder: (next, builder, known) =>
    pick(
      next,
      known.builder.filter((name) => name !== builder),
    ),
  place: (next, place, known) =>
    pick(
      next,
      known.place.filter((name) => name !== place),
    ),
};

function saidIn(sentence) {
  const fact = facts.find(({ pattern }) => pattern.test(sentence));
  return { ...fact, said: fact.read(fact.pattern.exec(sentence)) };
}

/** Each fact of the cases, said in several ways, and as often with something else in it. */
export function claimsOf(cases, next) {
  const all = cases.flatMap(({ pages, evidence }) =>
    evidence.map((sentence) => ({
      page: pages.find(({ text }) => text.includes(sentence)),
      ...saidIn(sentence),
    })),
  );
  const named = (field) => [...new Set(all.map(({ said }) => said[field]).filter(Boolean))];
  const known = { place: named('place'), builder: named('builder') };
  return all.flatMap(({ page, said, say: ways, wrong }) =>
    ways.flatMap((say) => [
      { page, text: say(said), isTrue: true },
      ...wrong
        .map((field) => say({ ...said, [field]: others[field](next, said[field], known) }))
        // a way that does not say the field is still true
        .filter((text) => text !== say(said))
        .map((text) => ({ page, text, isTrue: false })),
    ]),
  );
}

const forms = [
  (url) => `[the page](${url})`,
  (url) => `[the page](<${url}> "with a title")`,
  (url) => `[${url}](${url})`,
  (url) => `![a picture](${url})`,
  (url) => `[![a picture](${url})](${url})`,
  (url) => `<${url}>`,
  (url) => url,
  (url) => `(see ${url}).`,
  (url) => `**${url}**`,
  (url) => `<a href="${url}" target="_blank">the page</a>`,
  (url) => `<img src='${url}' alt="a picture">`,
  (url) => `[1](${url})`,
  (url) => `[[1]](${url})`,
  (url) => `\n\n[ref]: ${url} "title"\n\n`,
  (url) => `[a [nested] text](${url})`,
  (url) => `[a text\nover two lines](${url})`,
  (url) => `[long ${'text '.repeat(150)}](${url})`,
  (url) => url.replace('https://', 'www.'),
  (url) => `[the page](${url.replace('://', '&colon;//')})`,
  (url) => `[the page](${url.replace('https', 'HTTPS')})`,
  (url) => `[the page](//${url.slice(8)})`,
  (url) => `htt[ps://${url.slice(8)}](${url})`,
  (url) => `[the page](${url}${'x'.repeat(2_100)})`,
  (url) => `| cell | ${url} |`,
  (url) => `\`not closed ${url}\n\n`,
  (url) => `见${url}。`,
];

/** An answer with so many links that lead nowhere, among claims, code and known links. */
export function fabricatedAnswer(count, next) {
  const parts = [];
  for (let index = 0; index < count; index++) {
    const path = Math.floor(next() * 1e9).toString(36);
    const url = `https://fabricated-${path}.example/${path}?a=1`;
    parts.push(forms[Math.floor(next() * forms.length)](url));
    parts.push(
      next() < 0.5 ? 'Some words of the answer [1]. ' : ' and [known](https://known.example/a) ',
    );
    if (next() < 0.1) parts.push('\n\n```\ncode\n```\n\n');
  }
  return parts.join('');
}

/** What a renderer would still make a link of. */
export const fabricatedLink =
  /(?:https?:\/\/|www\.|\]\(\s*<?[^)\s]*)fabricated|(?:href|src)=["'][^"']*fabricated/gi;
