/** What the page reads of the OpenAPI document. */
export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One path: its parameters, and an operation for each method. */
export type PathItem = Readonly<Record<string, Operation>> & {
  readonly parameters?: readonly Parameter[];
};

/** A parameter in the path or the query. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly example?: string;
}

/** One method of a path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** A body of one content type. */
export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** What an operation answers with one status. */
export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

/** A JSON Schema, or a reference to one. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
}

/** An operation with its place. */
export interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly pathParameters: readonly Parameter[];
}
