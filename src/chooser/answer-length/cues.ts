/**
 * Words that tell how long an answer is wanted, or what it will be, by role and in everyday
 * languages. One word may have several roles.
 */
const roles = {
  most: 'max maximum maximal maximaal most under below within fewer less exceed exceeding höchstens unter weniger maximale máximo máxima menos massimo meno moins minder hoogstens najwyżej maksymalnie maksimum максимум меньше менее geçmeyen अधिकतम أقصى limit fazla dépasse dépasser dépassant exceda excedan supere superar ultrapasse ultrapassar superi superare entro massima przekraczaj przekraczać przekraczającym превышай превышать превышающий наибольшее geçmesin geçme aşmasın aşmayan يتجاوز تتجاوز يزيد أقل mniej shorter shortest maks ограничение',
  least:
    'least minimum minimal mindestens mínimo minimo przynajmniej минимум कम الأقل more over mehr plus más mais più meer więcej более больше अधिक أكثر تزيد fewer less weniger менее меньше moins menos meno minder mniej minstens tenminste almeno najmniej az longer länger langer langere أقل',
  not: 'no not nicht pas não non niet nie не лишь ne لا नहीं nein nee нет hayır',
  each: 'each every per apiece jeweils je jede jeder jedes chaque chacun chacune cada ciascuno ciascuna ogni elk elke ieder każdy każdego każde каждый каждая каждого каждое her हर प्रत्येक كل',
  given:
    'following this these that those my attached above given provided original has had have contains folgende folgenden folgender dieser diese diesen dieses suivant suivante ce cet cette ces siguiente este esta estos seguinte deste neste seguente questo questa volgende deze dit następujący poniższy этот эта эти следующий şu aşağıdaki هذا هذه التالي यह इस निम्नलिखित',
  inside:
    'in using with into mit dans en avec con em com met w в içinde ile में في numa num словом słowem kelimeyle بكلمة برقم بحرف числом буквой liczbą literą sayıyla harfle',
  about:
    'about around approximately approx roughly circa ca etwa ungefähr rund environ aproximadamente alrededor unos unas aproximada approssimativamente ongeveer około примерно около yaklaşık लगभग حوالي تقريبا exactly precisely genau exactement exactamente exatamente esattamente precies dokładnie ровно length länge longueur longitud',
  write:
    'write compose draft create generate produce make give provide list name suggest describe explain summarize summarise answer respond reply tell rewrite translate outline schreibe schreib verfasse erstelle nenne gib erkläre beschreibe antworte fasse formuliere erzähle écris écrire écrivez rédige rédigez résume résumez donne donnez explique expliquez décris réponds répondez raconte escribe escriba escribir redacta resume resuma dame explica responde cuenta escreva escrever redija dê descreva responda conte scrivi scrivere riassumi dammi descrivi spiega rispondi racconta schrijf beschrijf geef vat leg antwoord vertel napisz opisz streść podaj wymień odpowiedz wyjaśnij opowiedz напиши напишите опиши опишите составь перечисли ответь ответьте объясни объясните расскажи перескажи дай yaz yazın yazınız özetle açıkla anlat listele cevapla लिखें लिखिए लिखो बताएं बताओ दें اكتب أكتب لخص اشرح صف أجب اذكر expand lengthen prolong erweitere erweitern verlängere étends développe développez allonge amplía amplíe amplia amplie expande expanda espandi allunga uitbreid verleng rozszerz rozwiń wydłuż расширь расширьте дополни увеличь genişlet uzat विस्तृत وسع وسّع continue shorten kürze kürzen setze fortsetze raccourcis continuez acorta continúa encurte continua accorcia verkort skróć kontynuuj сократи сократите продолжи продолжите kısalt devam tamamla design develop plan entwirf entwickle conçois élabore diseña elabora desarrolla planeja progetta ontwerp opracuj zaprojektuj разработай разработайте tasarla geliştir',
  brief:
    'brief briefly concise concisely short shortly succinct succinctly tldr quickly kurz knapp kurze kurzer bref brève brièvement concis court courte breve brevemente conciso concisa corta corto curto curta resumidamente sintetico kort bondig beknopt krótko krótki krótka zwięźle кратко коротко краткий краткое краткую kısaca kısa संक्षेप संक्षिप्त باختصار قصيرة موجز بإيجاز shorten kürze kürzen raccourcis acorta encurte accorcia verkort skróć сократи сократите kısalt',
  long: 'detailed detail details comprehensive thorough thoroughly extensive depth lengthy exhaustive ausführlich ausführliche detailliert umfassend détaillé détaillée approfondi détails detallado detallada detalle detalladamente detalhado detalhada detalhes dettagliato dettagliata dettaglio uitgebreid gedetailleerd szczegółowo szczegółowy obszerny подробно подробный подробное развернуто detaylı ayrıntılı विस्तार विस्तृत بالتفصيل مفصل مفصلة long lange longue largo larga longo longa lungo lunga długi длинный erweitere erweitern verlängere étends développe développez allonge amplía amplíe amplia amplie expande expanda espandi allunga uitbreid verleng rozszerz rozwiń wydłuż расширь расширьте дополни увеличь genişlet uzat وسع وسّع',
  step: 'step steps schritt étape étapes paso passo stap krok krokiem шаг шагом пошагово adım चरण خطوة',
  only: 'only just solely exclusively nothing merely nur ausschließlich lediglich uniquement seulement seul rien sólo solo solamente únicamente apenas somente só soltanto alleen enkel slechts tylko wyłącznie только лишь sadece yalnızca केवल सिर्फ فقط',
  label:
    'label word number letter option category class classification digit sentiment boolean true name value wort zahl buchstabe buchstaben kategorie etikett étiquette mot nombre chiffre lettre catégorie etiqueta palabra número letra categoría palavra categoria etichetta parola numero lettera getal categorie woord etykieta etykietę słowo liczba litera kategoria kategorię метку слово число букву категорию номер etiket kelime sayı harf kategori शब्द संख्या श्रेणी كلمة رقم حرف الفئة словом слове słowem słowie kelimeyle kelimede بكلمة برقم بحرف числом буквой liczbą literą sayıyla harfle',
  yes: 'yes ja oui sí si sim sì tak да evet हाँ हां نعم',
  json: 'json yaml xml csv',
  story:
    'story stories tale novel chapter fiction narrative novella screenplay geschichte erzählung märchen kapitel roman kurzgeschichte histoire conte récit chapitre historia cuento relato capítulo novela história conto racconto storia capitolo romanzo verhaal hoofdstuk sprookje opowiadanie opowieść rozdział bajkę рассказ историю сказку главу повесть hikaye öykü masal कहानी قصة رواية powieść роман उपन्यास',
  essay:
    'essay article report blog speech guide tutorial documentation proposal whitepaper thesis dissertation newsletter itinerary curriculum paper brochure aufsatz artikel bericht rede anleitung blogbeitrag gutachten essai rapport discours ensayo artículo informe discurso guía ensaio redação artigo relatório guia saggio articolo relazione discorso guida opstel verslag toespraak esej artykuł raport przemówienie эссе статью статья отчет отчёт доклад сочинение речь makale deneme rapor konuşma निबंध लेख مقال مقالا مقالة تقرير خطاب strategy roadmap handbook manual monograph strategie handbuch stratégie manuel mémoire estrategia tesis estratégia tese strategia tesi proefschrift strategię диссертацию стратегию tez strateji रणनीति أطروحة استراتيجية',
  letter:
    'email mail letter reply message schreiben nachricht kündigung anschreiben lettre courriel réponse correo mensaje mensagem lettera messaggio wiadomość письмо сообщение mektup mesaj posta पत्र ईमेल رسالة بريد carta note réclamation',
  poem: 'poem poetry sonnet limerick lyrics song verse gedicht lied poème chanson poema canción soneto canção poesia canzone wiersz wierszyk стихотворение стих песню şiir şarkı कविता قصيدة',
  tiny: 'tweet headline title slogan tagline haiku caption subject hashtag joke motto überschrift titel betreff witz titre blague título eslogan chiste piada titolo barzelletta grap tytuł żart заголовок шутку анекдот başlık şaka शीर्षक عنوان نكتة',
  translate:
    'translate translation übersetze übersetz übersetzen übersetzung traduis traduire traduisez traduce traducir traduzca traduza traduzir tradurre traduci vertaal vertalen przetłumacz tłumaczenie переведи переведите перевод çevir tercüme अनुवाद ترجم ترجمة',
  summarise:
    'summarize summarise summary tldr condense abridge recap zusammenfassung zusammen résume résumez résumé resume resumen resumir resuma resumo riassumi riassunto samenvatting samenvatten streść streszczenie podsumuj перескажи резюме резюмируй özetle özet सारांश लخص لخص ملخص fasse fass',
  rewrite:
    'rewrite rephrase paraphrase proofread correct edit improve polish reformat korrigiere umschreiben überarbeite verbessere formuliere corrige corrigez reformule réécris améliore reescribe mejora corrija reescreva melhore correggi riscrivi migliora verbeter herschrijf popraw przepisz исправь перепиши улучши düzelt düzenle सुधारें صحح أعد shorten kürze kürzen raccourcis acorta encurte accorcia verkort skróć сократи сократите kısalt',
  extract:
    'extract identify parse locate retrieve extrahiere extrahieren entnimm extrais extraire extrae extraer extraia extrair estrai estrarre haal wyodrębnij wypisz извлеки выдели çıkar निकालें استخرج',
  classify:
    'classify categorize categorise klassifiziere kategorisiere classez classifie clasifica clasificar classifique classifica classificare classificeer sklasyfikuj классифицируй определи sınıflandır वर्गीकृत صنف',
  prove:
    'prove proof derive beweise beweis zeige prouve démontre démontrer montre demuestra demostrar prueba demonstre dimostra dimostrare bewijs udowodnij dowód докажи докажите доказательство kanıtla ispatla सिद्ध أثبت',
  explain:
    'explain why how describe compare difference discuss analyze analyse evaluate advise recommend erkläre erklären warum wie beschreibe vergleiche unterschied analysiere explique expliquer pourquoi comment décris différence explica explicar cómo diferencia compara porque como descreva diferença spiega perché come descrivi differenza confronta waarom hoe beschrijf verschil vergelijk wyjaśnij dlaczego jak opisz różnica porównaj объясни почему как опиши разница сравни açıkla neden nasıl fark karşılaştır समझाएं क्यों कैसे अंतर اشرح لماذا كيف قارن الفرق',
  ask: 'what who when where which whose whom many much wer wann wo welche welcher welches wieviel viele qui quand où quel quelle quels combien quoi qué quién cuándo dónde cuál cuánto cuántos quem quando onde qual quanto quantos chi dove quale quanti wat wie wanneer waar welk hoeveel co kto kiedy gdzie który ile czy что кто когда где какой какая сколько ne kim nerede hangi kaç क्या कौन कब कहाँ कितने ما من متى أين كم whats',
  code: 'code function script program class method sql query regex algorithm implement refactor debug build develop html css javascript typescript python java rust golang funktion programm abfrage fonction programme requête función programa consulta função funzione programma functie funkcja funkcję zapytanie функцию функция программу код запрос скрипт fonksiyon kod sorgu फ़ंक्शन कोड دالة كود برنامج',
  large:
    'app application website game project framework library full-stack system server api anwendung webseite spiel projekt site jeu sitio juego aplicación jogo aplicativo sito gioco applicazione strona gra aplikację сайт игру приложение',
  /** Of sorting, but often of something else: `the tax rate`. */
  grade:
    'classification sentiment spam label tag rate score grade bewerte stimmung classe sentimiento sentimento тональность duygu',
  greet:
    'hi hello hey hiya greetings thanks thank morning evening hallo moin servus danke guten salut bonjour bonsoir merci coucou hola buenos buenas gracias olá oi bom obrigado obrigada ciao buongiorno grazie salve hoi goedemorgen dank bedankt cześć dziękuję dzień привет здравствуйте здравствуй спасибо habari jambo hujambo shikamoo mambo bawo sannu sawubona kumusta halo hei hej ahoj szia salam namaste chào привіт merhaba selam günaydın teşekkürler नमस्ते धन्यवाद مرحبا أهلا السلام شكرا',
} as const;

export type CueRole = keyof typeof roles;

/** The names of the roles, in a fixed order: by place in `bits` of `markedWord`. */
const roleNames = Object.keys(roles) as CueRole[];

/** The bit of a role. */
export const bitOf = Object.fromEntries(
  roleNames.map((name, place) => [name, 1 << place]),
) as Readonly<Record<CueRole, number>>;

/** Words by role, as they are compared: in lower case. */
export const roleWords: readonly (readonly [role: CueRole, words: readonly string[]])[] =
  roleNames.map((name) => [name, roles[name].split(' ')]);

/** What single phrases of Chinese, Japanese and Korean say: looked for as they are written. */
export const widePhrases: readonly (readonly [role: CueRole, phrases: readonly string[]])[] = [
  ['brief', ['简短', '簡短', '简要', '簡要', '简洁', '簡潔', '手短', '간단히', '간략', '짧게']],
  ['long', ['详细', '詳細', '詳しく', '자세히', '상세']],
  ['step', ['一步一步', '逐步', 'ステップ', '단계별']],
  [
    'only',
    [
      '只回答',
      '仅回答',
      '只输出',
      '仅输出',
      '只返回',
      '僅回答',
      'のみ',
      'だけ',
      '만 출력',
      '用一个词',
      '用一個詞',
      '一个词回答',
      '一言で',
      '一語で',
      '一単語で',
      '한 단어로',
      '한마디로',
      '만 답',
    ],
  ],
  ['yes', ['是或否', '是还是否', '「はい」', 'はいか', '예 또는', '예 아니']],
  [
    'label',
    [
      '标签',
      '標籤',
      '类别',
      '一个词',
      '一個詞',
      '一言で',
      '一語で',
      '一単語',
      '한마디',
      'ラベル',
      '한 단어',
      '라벨',
    ],
  ],
  ['write', ['写', '寫', '書いて', '作成', '작성', '써', '쓰', '설명', '说明', '介绍', '説明']],
  ['story', ['故事', '小说', '小說', '物語', '童话', '이야기', '소설']],
  [
    'essay',
    ['文章', '作文', '报告', '報告', '论文', 'エッセイ', '記事', '에세이', '보고서', '기사'],
  ],
  ['letter', ['邮件', '郵件', '信', 'メール', '手紙', '이메일', '편지']],
  ['poem', ['诗', '詩', '俳句', '시를']],
  ['translate', ['翻译', '翻譯', '翻訳', '번역']],
  ['summarise', ['总结', '總結', '概括', '摘要', '要約', 'まとめ', '요약']],
  ['rewrite', ['改写', '润色', '修改', '書き直', '添削', '고쳐']],
  ['classify', ['分类', '分類', '情感', '감정', '분류']],
  ['extract', ['提取', '抽出', '추출']],
  ['prove', ['证明', '證明', '증명']],
  [
    'explain',
    [
      '解释',
      '解釋',
      '为什么',
      '為什麼',
      '怎么',
      '如何',
      'なぜ',
      'どう',
      '왜',
      '어떻게',
      '比较',
      '비교',
    ],
  ],
  [
    'code',
    ['代码', '代碼', '函数', '函數', '程序', 'コード', '関数', 'プログラム', '코드', '함수'],
  ],
  ['greet', ['你好', '您好', '谢谢', 'こんにちは', 'ありがとう', '안녕', '감사']],
  [
    'ask',
    [
      '什么',
      '什麼',
      '谁',
      '哪',
      '多少',
      '何',
      '誰',
      'いつ',
      'どこ',
      '무엇',
      '누구',
      '언제',
      '어디',
    ],
  ],
];

/** What tells the size of a deliverable, beside roles. */
export const sizes = {
  /** Texts of many pages: more than an answer holds, so that models write as much as they can. */
  long: 'novel novella screenplay thesis dissertation handbook manual textbook ebook monograph book roman dissertation handbuch lehrbuch buch livre manuel mémoire novela tesis libro manual romance tese livro romanzo tesi boek proefschrift powieść książkę podręcznik роман диссертацию книгу учебник kitap tez उपन्यास किताब كتاب كتابا أطروحة',
  /** What makes a program of a function: code that is shown to be right, or explained. */
  companion:
    'tests test-suite testsuite proof benchmarks benchmark documentation readme beweis benchmarks dokumentation preuve pruebas demostración testes prova dimostrazione bewijs testami dowodem тестами тесты доказательством testler kanıt',
  /** What begins a list of the parts of a deliverable. */
  opener:
    'with including include includes covering cover covers containing mit inklusive einschließlich avec comprenant incluant con incluyendo com incluindo includendo met inclusief zawierający zawierającą включая содержащий içeren',
} as const;

type Size = keyof typeof sizes;

/** The bit of a size. */
export const sizeBitOf: Readonly<Record<Size, number>> = { long: 1, companion: 2, opener: 4 };
