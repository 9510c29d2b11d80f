const prompt = { type: 'string', minLength: 1, description: 'What the model is asked.' };

/** The arguments of `select_model`. */
export const selectSchema = {
  type: 'object' as const,
  required: ['prompt'],
  properties: {
    prompt,
    models: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      description: 'The candidates, as `<provider>/<model>`. Default: all that the key may use.',
    },
    tradeoff: {
      enum: ['cost', 'latency'],
      description: 'The cheapest or fastest of nearly the best. Default: the best.',
    },
  },
};

/** The arguments of `complete`. */
export const completeSchema = {
  type: 'object' as const,
  required: ['prompt'],
  properties: {
    prompt,
    system: { type: 'string', description: 'Instructions for the model.' },
    model: { type: 'string', description: '`<provider>/<model>`. Default: the best one.' },
  },
};
