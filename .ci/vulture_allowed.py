"""Names `vulture` takes for unused although something uses them; each group says what."""

# Qt calls them
_.cursorPosition
_.drawBackground
_.drawForeground
_.expandingDirections
_.highlightBlock
_.loadResource
_.mergeWith
_.scaledPixmap
_.selections
_.sizeHintForColumn
_.textElideMode

# SQLAlchemy, Alembic, Typer, jieba, buffered streams and the client of openai read them
_.FREQ
_.cache_ok
_.ctx
_.down_revision
_.format_commands
_.impl
_.initialized
_.isolation_level
_.organization
_.process_result_value
_.readable
_.type_annotation_map

# imported for annotations in quotation marks
_.Artist
_.Axes
_.Line2D
_.Strokes
_.FrameType
_.QMessageLogContext

# fields of records and columns of tables, read by name from the outside
_.BUDGET
_.CLOSED
_.FAMILY
_.FIELD
_.KIND
_.OFF
_.ON
_.PERSON
_.SPECIALISED
_.arguments_label
_.created_by
_.errors_c3
_.exact_match
_.f1
_.interface
_.names_accuracy
_.optimal_count
_.optimal_path_rate
_.saved_at
_.scorer_version
_.state_limit
_.thinking
_.toolset_count

# keys of style files, read by name
_.edgecolor
_.facecolor
_.hatch
_.hatchcolor
_.hover
_.side_a
_.side_b
_.side_c
_.side_d
_.side_e

# the library: documented functions for notebooks, compared with published values in the tests
_.bootstrap_interval
_.cohen_kappa
_.encode_line
_.fleiss_kappa
_.gwet_ac1
_.krippendorff_alpha
_.percent_agreement

# what a widget or the window shows, read by tests of behaviour
_.has_picture
_.label_area
_.pending_count
_.zoom
_.navigation

# T-Eval: names of the published files and tables, filled by key
_.REF_V1
_.f1_score
_.f1_exact
_.f1_dag
_.empty_after_finish
_.S
_.l
_.l_dag
_.n_pred
_.n_gt
_.args_similar
_.args_exact
_.review_quality
_.parsed_only
_.plain_tool_name

# parameters that Qt passes
_.dx
_.dy

# the generator: patterns that are drawn from the whole set, and what review and the window call
_.NO_SUBJECT
_.NO_ATTRIBUTE
_.NO_MODIFIER
_.NO_SEVERAL
_.ADDED_SUBJECT
_.ADDED_RESTRICTION
_.REPHRASED
_.MORE_ITEMS
_.MORE_DETAIL
_.SHORTER
_.EXAMPLE
_.CONTINUATION
_.tokens_per_final
_.dollars_per_final
_.run_qualities

# what the functions that a protocol stands for are called by
_.__call__

# what zipfile writes, and what people read in a bundle
_.compress_type
_.external_attr
_.program

# what the library of the command line asks for
_.write_heading
_.short_help
