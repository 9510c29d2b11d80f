const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that are in every text, without accents. */
export const stopWords = set(
  'a about above according after again all also although an and any are as at be became because become been before ' +
    'being between both but by can could did do does during each few for from further had has have he her here his ' +
    'how however i if in into is it its itself just many may more most much no nor not of on one only or other our ' +
    'out over own per said same she should since so some such than that the their them then there these they this ' +
    'those through to too under until up upon very was we were what when where which while who whom whose why will ' +
    'with within without would you your ' +
    'aber als am an auch auf aus bei beim bis da dann das dass dem den der des die dies diese dieser dieses doch du ' +
    'durch ein eine einem einen einer eines er es etwa fur gibt hat hatte hatten haben ich ihr ihre im in ins ist ja ' +
    'kann kein keine man mehr mit nach nicht noch nur ob oder rund sehr sein seine seit sich sie sind so sowie uber ' +
    'um und unter vom von vor war waren was wenn wer werden wie wird wurde wurden zu zum zur zwischen ' +
    'au aux avec ce ces cette comme dans de depuis des du elle elles en entre est et etait ete etre eu fait il ils ' +
    'la le les leur leurs lui mais meme ne nous on ont ou par pas plus pour qu que qui sa sans se ses son sont sur ' +
    'tous tout tres un une vers ' +
    'al ante como con contra cual cuando de del desde donde durante el ella ellos en entre era es esta este esto fue ' +
    'ha hace hasta hay la las lo los mas muy no o para pero por porque que se segun ser si sido sin sobre son su sus ' +
    'tambien tiene un una uno unos y ya ' +
    'ao aos ate com da das do dos ela ele em essa esse esta foi mais mas na nas nao no nos o os ou para pela pelo ' +
    'por quando que se sem ser seu sua suas tem um uma ' +
    'ai alla che chi ci con da dai dal dalla degli dei del della delle di e gli ha hanno il in io la le lo ma nel ' +
    'nella non per piu quale quando questa questo se si sono sua sul sulla suo tra un una uno ' +
    'aan bij dat de deze die dit door een en er het hij in is maar met naar niet of om ook op te tot uit van voor ' +
    'waar was werd wordt zijn ' +
    'av att den det en ett for fran har i med och om pa som till var ar ' +
    'byl byla bylo do jak jako je jest ktera ktery ktore ktory na nie od po pro przez se si sie to ve w z za ze ' +
    'а без бы был была были было в во все для до его ее если есть еще же за и из или их к как когда который на над ' +
    'не но о об от по под при с со так также то только у уже что это этот ' +
    'في من على إلى عن أن هذا هذه التي الذي كان كانت و أو ما لا مع',
);

/** Words that say of the one before it what it is or does: that is the subject then. */
export const predicates = set(
  'is was were are has had have will became becomes lies stands won died wrote built began made took led held gave ' +
    'ist war hat hatte wurde wird liegt sind waren est etait a avait fut compte es era fue tiene tenia ha aveva e ' +
    'foi tem heeft werd wordt byl byla jest имеет был была',
);

/** Capitalised, and no names of something else. */
export const calendarWords = set(
  'january february march april may june july august september october november december monday tuesday wednesday ' +
    'thursday friday saturday sunday english januar februar marz mai juni juli oktober dezember',
);

/** Two of them tell that a text writes all nouns with capitals. */
export const germanWords = set(
  'der die das und ist ein eine einen einem von mit den dem des im fur auf wurde hat hatte war nicht sind zu zum zur ' +
    'bei nach aus wird sich als auch uber rund seit',
);
