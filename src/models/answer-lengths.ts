/** The kinds of answers whose lengths are told apart. */
export type AnswerKind =
  | 'greeting'
  | 'label'
  | 'fact'
  | 'choice'
  | 'calculation'
  | 'mathematics'
  | 'proof'
  | 'explanation'
  | 'chat'
  | 'code'
  | 'program'
  | 'story'
  | 'essay'
  | 'letter'
  | 'poem'
  | 'tiny'
  | 'summary'
  | 'translation'
  | 'rewriting'
  | 'extraction'
  | 'toolCall'
  | 'agentStep';

/** What `config/models/answer-lengths.json` holds: made by `npm run lab -- lengths`. */
export interface AnswerLengths {
  /** By kind: how much longer published answers were than estimated; absent: nobody measured it. */
  readonly factors: Readonly<Partial<Record<AnswerKind, number>>>;
  /** How the difficulty of a request, on the scale of abilities, shows in what models reason. */
  readonly levels: {
    /** Of a question of general knowledge: step 0 of `TypicalAnswer.difficulty`. */
    readonly usual: number;
    /** Steps of reasoning for each unit of difficulty. */
    readonly steps: number;
  };
}
