import type { ChatMessage } from '../../../src/completion.js';
import type { RoutingRequest } from '../../../src/chooser/plan.js';

/** A request of our own that nothing was fitted to, and what it is. */
export interface OwnRequest {
  readonly language: string;
  readonly kinds: readonly string[];
  readonly request: Pick<RoutingRequest, 'messages' | 'tools'>;
}

const user = (content: string): ChatMessage => ({ role: 'user', content });
const asked = (language: string, kinds: string | readonly string[], text: string): OwnRequest => ({
  language,
  kinds: typeof kinds === 'string' ? [kinds] : kinds,
  request: { messages: [user(text)] },
});
const told = (language: string, kind: string, system: string, text: string): OwnRequest => ({
  language,
  kinds: [kind],
  request: { messages: [{ role: 'system', content: system }, user(text)] },
});

/** Jokes and stories may be read as writing or as a conversation. */
const playful = ['writing', 'conversation'];
/** What is found in a given text may be read as an extraction, a fact, or part of a summary. */
const reading = ['extraction', 'facts', 'summary'];

const bicycles =
  'The city council voted on Tuesday to build a bicycle lane along Harbour Street. The lane will be 2.4 km long and cost 3.1 million euros. Shop owners fear that they will lose 140 parking spaces. The council replied that a new garage opens in June. Accidents with bicycles rose by 12 per cent last year. Work on the lane begins in September.';
const clinic =
  'The clinic in the north of the town will close its maternity ward at the end of the year. There are too few midwives, and births have fallen by a third since 2015. Mothers will have to travel forty minutes to the next hospital.';

/** Everyday requests that small models answer as well as large ones. */
export const easyRequests: readonly OwnRequest[] = [
  asked('English', 'mathematics', '2+2'),
  asked('English', 'mathematics', '12 times 12'),
  asked('English', 'facts', 'What is the capital of France?'),
  asked('English', 'facts', 'what is the capital of france'),
  asked('English', 'facts', 'What is the capital of France? Answer:'),
  asked('English', 'facts', 'Which bird lays the largest eggs?'),
  asked('English', playful, 'Tell me a joke'),
  asked('English', playful, 'Tell me a short story about a penguin who is afraid of snow.'),
  asked('English', 'translation', 'Translate to French: Good morning'),
  asked('English', 'translation', 'How would you say "see you on Sunday" in Danish?'),
  asked('English', 'classification', 'One-word sentiment: "I would buy it again at once."'),
  asked('English', 'classification', 'Spam or ham? "Claim your prize within 24 hours"'),
  told(
    'English',
    'classification',
    'Classify the message as spam or ham. Answer with one word.',
    'Congratulations, you won a cruise! Reply with your bank details.',
  ),
  told(
    'English',
    'classification',
    'Labels: refund, delivery, praise. Answer with one label.',
    'My sofa still has not come.',
  ),
  told(
    'English',
    'structured data',
    'Return a JSON object with the keys city and price.',
    'A room in Ghent for 80 euros.',
  ),
  asked(
    'English',
    ['structured data', 'extraction'],
    'Extract fields {name, date, amount} as JSON from: Invoice 12, Ann Lee, 3 May 2026, 120 EUR',
  ),
  asked('English', 'extraction', 'Pull the names and dates out of: Rosa and Jim, 1 July 2023.'),
  asked('English', 'summary', `Summarise in three sentences:\n\n${bicycles}`),
  asked('English', 'summary', `Give me the key points:\n\n${bicycles}`),
  asked('English', 'summary', `${clinic}\n\nPlease sum this up for me.`),
  asked('English', 'summary', `Summarize the text below.\n\n${clinic} ${bicycles}`),
  asked('English', reading, `${bicycles}\n\nHow long will the lane be?`),
  asked('English', reading, `What happens at the end of the year?\n\n${clinic}`),
  asked('English', 'writing', 'Make this sound friendlier: Pay now.'),
  asked('English', 'code', 'How do I sort a list in Python?'),
  asked('German', 'translation', 'Ins Englische bitte: Wir sehen uns am Sonntag.'),
  asked('German', 'classification', 'Positiv oder negativ, ein Wort: „Nie wieder dieses Hotel.“'),
  asked('German', 'facts', 'Welcher Fluss fließt durch Dresden?'),
  asked('German', 'structured data', 'Als JSON bitte: Anna Vogt, 31 Jahre, Kiel'),
  asked('German', playful, 'Kennst du einen guten Witz?'),
  asked('French', 'translation', 'En anglais, s’il te plaît : On se voit dimanche.'),
  asked('French', 'classification', 'Positif ou négatif, un mot : « Plus jamais cet hôtel. »'),
  asked('French', 'facts', 'Quel fleuve traverse Lyon ?'),
  asked('French', playful, 'Tu connais une bonne blague ?'),
  asked('Spanish', 'translation', 'Pásalo al inglés: Nos vemos el domingo.'),
  asked('Spanish', 'classification', '¿Positivo o negativo? Una palabra: "Nunca más este hotel."'),
  asked('Spanish', 'facts', '¿Qué río pasa por Sevilla?'),
  asked('Portuguese', 'translation', 'Traduza para inglês: Vejo você no domingo.'),
  asked('Portuguese', 'classification', 'Positivo ou negativo, uma palavra: "Hotel horrível."'),
  asked('Portuguese', 'facts', 'Qual rio passa por Lisboa?'),
  asked('Italian', 'translation', 'In inglese, per favore: Ci vediamo domenica.'),
  asked('Italian', 'classification', 'Positivo o negativo, una parola: "Mai più questo albergo."'),
  asked('Italian', 'facts', 'Quale fiume attraversa Roma?'),
  asked('Dutch', 'translation', 'Vertaal in het Engels: Tot zondag.'),
  asked('Dutch', 'classification', 'Positief of negatief, één woord: "Nooit meer dit hotel."'),
  asked('Dutch', 'facts', 'Welke rivier stroomt door Rotterdam?'),
  asked('Polish', 'translation', 'Przetłumacz na angielski: Do zobaczenia w niedzielę.'),
  asked('Polish', 'classification', 'Pozytywna czy negatywna, jedno słowo: „Okropny hotel.”'),
  asked('Polish', 'facts', 'Jaka rzeka płynie przez Kraków?'),
  asked('Russian', 'translation', 'Переведи на английский: Увидимся в воскресенье.'),
  asked('Russian', 'classification', 'Отзыв хороший или плохой? Одно слово: «Ужасный отель.»'),
  asked('Russian', 'facts', 'Какая река течёт через Москву?'),
  asked('Turkish', 'translation', 'İngilizceye çevir: Pazar günü görüşürüz.'),
  asked('Turkish', 'classification', 'Olumlu mu olumsuz mu, tek kelime: "Berbat bir otel."'),
  asked('Turkish', 'facts', 'Ankara hangi ülkenin başkentidir?'),
  asked('Arabic', 'translation', 'ترجم إلى الإنجليزية: أراك يوم الأحد.'),
  asked('Arabic', 'classification', 'ما هو شعور هذا التعليق؟ أجب بكلمة واحدة: "الفندق سيئ"'),
  asked('Arabic', 'facts', 'ما هو أطول نهر في أفريقيا؟'),
  asked('Hindi', 'translation', 'अंग्रेज़ी में अनुवाद करें: रविवार को मिलते हैं।'),
  asked('Hindi', 'classification', 'सकारात्मक या नकारात्मक? एक शब्द: "होटल बहुत खराब था।"'),
  asked('Hindi', 'facts', 'भारत की सबसे लंबी नदी कौन सी है?'),
  asked('Chinese', 'translation', '请翻译成英文:星期天见。'),
  asked('Chinese', 'classification', '这条评论是正面还是负面?只回答一个词:“这家酒店太差了。”'),
  asked('Chinese', 'facts', '中国最长的河是哪一条?'),
  asked('Japanese', 'translation', '次の文を英語に訳してください：おはようございます。'),
  asked('Japanese', 'classification', '肯定的か否定的か、一語で:「ひどいホテルでした。」'),
  asked('Japanese', 'facts', '日本で一番長い川はどこですか?'),
  asked('Korean', 'translation', '영어로 번역해 주세요: 일요일에 봐요.'),
  asked('Korean', 'classification', '긍정인가요 부정인가요? 한 단어: "최악의 호텔이었어요."'),
  asked('Korean', 'facts', '한국에서 가장 긴 강은 무엇인가요?'),
  asked('Vietnamese', 'translation', 'Dịch sang tiếng Anh: Hẹn gặp chủ nhật.'),
  asked('Vietnamese', 'classification', 'Tích cực hay tiêu cực? Một từ: "Khách sạn quá tệ."'),
  asked('Vietnamese', 'facts', 'Sông nào dài nhất Việt Nam?'),
  asked('Indonesian', 'translation', 'Terjemahkan ke bahasa Inggris: Sampai jumpa hari Minggu.'),
  asked('Indonesian', 'classification', 'Positif atau negatif? Satu kata: "Hotelnya buruk."'),
  asked('Indonesian', 'facts', 'Apa sungai terpanjang di Indonesia?'),
  asked('Swahili', 'translation', 'Tafsiri kwa Kiingereza: Tutaonana Jumapili.'),
  asked('Swahili', 'classification', 'Chanya au hasi? Neno moja: "Hoteli mbaya sana."'),
  asked('Swahili', 'conversation', 'Habari yako'),
];

/** Short requests that only the best models answer well. */
export const hardRequests: readonly OwnRequest[] = [
  asked('English', ['proof', 'mathematics'], 'Solve the Riemann hypothesis.'),
  asked('English', ['proof', 'mathematics'], 'P=NP? Give a full proof.'),
  asked('English', 'proof', 'Prove that every group of order 15 is cyclic.'),
  asked('English', ['proof', 'mathematics'], 'Prove the Erdős discrepancy conjecture.'),
  asked('English', 'proof', 'Show that every open cover of a compact set has a finite subcover.'),
  asked('English', 'mathematics', 'What is 8734659 * 9823746?'),
  asked('English', 'mathematics', 'Multiply 59184027 by 70192835.'),
  asked(
    'English',
    ['explanation', 'proof'],
    'Explain quantum field theory renormalisation group flow rigorously',
  ),
  asked('English', ['explanation', 'proof'], 'Derive the Einstein field equations rigorously.'),
  asked('English', ['explanation', 'proof'], 'Explain motivic cohomology with full proofs.'),
  asked('German', 'proof', 'Zeige, dass jede Gruppe der Ordnung 35 zyklisch ist.'),
  asked('French', 'proof', 'Montre que tout corps fini est commutatif.'),
  asked('Spanish', 'proof', 'Demuestra que todo espacio de Hilbert tiene una base ortonormal.'),
  asked('Portuguese', 'proof', 'Prove que todo corpo finito tem ordem potência de um primo.'),
  asked('Italian', 'proof', 'Dimostra che la serie armonica diverge.'),
  asked('Dutch', 'proof', 'Bewijs dat elke eindige boom een blad heeft.'),
  asked('Polish', 'proof', 'Udowodnij, że liczba e jest niewymierna.'),
  asked('Russian', 'proof', 'Докажи, что число e трансцендентно.'),
  asked('Turkish', 'proof', 'e sayısının irrasyonel olduğunu kanıtla.'),
  asked('Arabic', 'proof', 'أثبت أن العدد e غير نسبي.'),
  asked('Hindi', 'proof', 'सिद्ध करो कि संख्या e अपरिमेय है।'),
  asked('Chinese', 'proof', '证明:自然常数e是无理数。'),
  asked('Japanese', 'proof', '円周率が無理数であることを証明してください。'),
  asked('Korean', 'proof', '원주율이 무리수임을 증명하세요.'),
  asked('Vietnamese', 'proof', 'Chứng minh rằng số e là số vô tỉ.'),
  asked('Indonesian', 'proof', 'Buktikan bahwa bilangan e irasional.'),
];

/** Short requests for work that takes thought, and where models differ. */
export const demandingRequests: readonly OwnRequest[] = [
  asked('English', ['design', 'code'], 'Design a lock service that survives a network partition.'),
  asked(
    'English',
    'code',
    'Implement a concurrent skip list in Rust, with proofs of its invariants.',
  ),
  asked(
    'German',
    ['design', 'code'],
    'Entwirf ein verteiltes Lager für Dateien ohne Single Point of Failure.',
  ),
  asked(
    'Spanish',
    ['design', 'code'],
    'Diseña un sistema de pagos distribuido con exactamente una entrega.',
  ),
];

const tools = (...names: string[]): unknown[] =>
  names.map((name) => ({
    type: 'function',
    function: {
      name,
      description: `${name.replace('_', ' ')} of the project`,
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
    },
  }));

/** A step of an agent in a workspace. */
export const agentStep: Pick<RoutingRequest, 'messages' | 'tools'> = {
  messages: [
    user('The pipeline is red since the merge of yesterday. Find the cause, fix it and push.'),
  ],
  tools: tools('run_command', 'read_file', 'edit_file'),
};
/** One call of one tool. */
export const toolCall: Pick<RoutingRequest, 'messages' | 'tools'> = {
  messages: [user('What is the weather in Bergen tomorrow?')],
  tools: tools('get_weather'),
};
const sentences = `${bicycles} ${clinic}`.split(/(?<=\.) (?=[A-Z])/);
/** A question after texts of many lengths. */
export const afterSentences = (count: number): Pick<RoutingRequest, 'messages'> => ({
  messages: [
    user(
      `${Array.from({ length: count }, (_, at) => sentences[at % sentences.length]).join(' ')}\n\nHow long is the lane?`,
    ),
  ],
});
