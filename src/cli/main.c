/* SPDX-License-Identifier: MIT */
/* The command `clump`: the table of commands, help, and how the process begins and ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ahead.h"
#include "commands.h"
#include "file/reader/remote.h"
#include "progress.h"
#include "run.h"
#include "scratch.h"

#define WIDTH 12 /* of the commands' column */

struct common common;

static int channel_word = -1;

static const struct option common_options[] = {
    {"device", 'd', OPTION_STRING, &common.device, "DEVICE",
     "index, part of a name, gpu, cpu or reference; else $CLUMP_DEVICE, else the first GPU, else "
     "the CPU"},
    {"json", 'j', OPTION_FLAG, &common.json, NULL, "one JSON object a file on stdout"},
    {"quiet", 'q', OPTION_FLAG, &common.quiet, NULL, "errors only on stderr"},
    {"verbose", 'v', OPTION_COUNT, &common.verbose, NULL,
     "tell what was chosen; twice: each kernel and cache file"},
    {"time", 0, OPTION_FLAG, &common.time, NULL,
     "tell where the time went: build (kernels) read upload compute download write, in ms"},
    {"help", 'h', OPTION_FLAG, &common.help, NULL, "print this"},
    {"version", 'V', OPTION_FLAG, &common.version, NULL, "print the version"},
    {0},
};

static const struct option read_options[] = {
    {"plane", 0, OPTION_SIZE, &common.file.plane, "N", "of a cube: which plane, from 0"},
    {"page", 0, OPTION_SIZE, &common.file.page, "N", "of a multi-page TIFF: which page, from 0"},
    {"channel", 0, OPTION_CHOICE, &channel_word, "0|1|2|3|red|green|blue|alpha|grey|rgb",
     "of a colour image: which channel; grey (its luminance) by default; rgb for view. A TIFF's "
     "palette is looked up only where this is given"},
    {"float32", 0, OPTION_FLAG, &common.file.float32, NULL,
     "read as float32 whatever the file holds"},
    {"memory-limit", 0, OPTION_STRING, &common.memory, "SIZE",
     "the most memory for the pixels of one image, and for what a gzip file unpacks to: bytes, or "
     "with K, M, G or T; half of the machine's by default"},
    {"crop", 0, OPTION_STRING, &common.crop, "R0:R1,C0:C1",
     "read only these rows and columns, as NumPy's slices: from 0, without the end, which may be "
     "left out; negative numbers count from the end. A section behind a file's name is taken too, "
     "FILE[X0:X1,Y0:Y1]: columns first, from 1, with both ends, * for all; without steps, not "
     "turned round"},
    {0},
};

static const struct option write_options[] = {
    {"output", 'o', OPTION_STRING, &common.output, "FILE",
     "where to write, by its ending; {} stands for the input's name; - is stdout"},
    {"format", 0, OPTION_STRING, &common.format, "ENDING",
     "of -o -: npy, fits, tif or png of images (npy; png of colour), csv, ecsv, fits, vot or reg "
     "of tables (csv), pdf or svg of view"},
    {"force", 'f', OPTION_FLAG, &common.force, NULL, "replace existing files"},
    {0},
};

static const struct option no_options[] = {{0}};

static const struct command *const commands[] = {
#define COMMAND(word) &command_##word,
    COMMANDS
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    puts("usage: clump COMMAND [options] FILE...\n\n"
         "Finds and measures what stands out in an image, on any OpenCL device.\n\n"
         "commands:");
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-*s %s\n", WIDTH, commands[i]->name, commands[i]->summary);
    puts("\noptions of every command:");
    options_help(stdout, common_options);
    puts("\nclump COMMAND --help tells a command's own options, with examples.");
}

static void print_version(void)
{
    const char *without = clump_built_without();
    printf("clump %s\n", clump_version());
    if (*without)
        printf("built without %s\n", without);
}

static void print_command_help(const struct command *command)
{
    if (command->defaults)
        command->defaults();
    printf("usage: clump %s %s [options]\n\n%s.\n", command->name, command->usage,
           command->summary);
    if (command->about)
        printf("\n%s\n", command->about);
    if (command->options) {
        puts("\noptions:");
        options_help(stdout, command->options);
    }
    if (command->groups & COMMAND_READS) {
        puts("\ninput:");
        options_help(stdout, read_options);
    }
    if (command->groups & COMMAND_WRITES) {
        puts("\noutput:");
        options_help(stdout, write_options);
    }
    puts("\noptions of every command:");
    options_help(stdout, common_options);
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
}

/* Prints text of the library with its parameters named as the options that they are here. */
static void print_options(const char *text)
{
    static const struct {
        const char *parameter, *option;
    } names[] = {{"clump_file_params.float32", "--float32"},
                 {"clump_file_params.memory_limit", "--memory-limit"},
                 {"params.force", "--force"},
                 {"not rgb; clump_convert makes one",
                  "not rgb; --channel takes one channel, or grey"},
                 {"clump_convert makes one", "clump convert makes one"}};
    while (*text) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names && !length; i++) {
            length = strlen(names[i].parameter);
            if (strncmp(text, names[i].parameter, length))
                length = 0;
            else
                fputs(names[i].option, stderr);
        }
        if (!length)
            fputc(*text++, stderr);
        text += length;
    }
    fputc('\n', stderr);
}

/* Prints lines of the library: which command, which file, what. */
static void print_line(void *user, enum clump_log_level level, const char *text)
{
    struct run *run = user;
    static const char *const words[] = {"", "warning: ", "", ""};
    char *file = run->file ? clump_shown_new(run->file, "") : NULL;
    char *shown = clump_shown_new(text, "\n\t");
    bool named = !file || strstr(text, file);
    run->errors += level == CLUMP_LOG_ERROR;
    progress_clear();
    fprintf(stderr, "clump %s: %s%s%s", run->command->name, words[level], named ? "" : file,
            named ? "" : ": ");
    print_options(shown ? shown : "out of memory");
    free(shown);
    free(file);
}

/* Keeps what was typed; headers of files take printable ASCII only. */
static void keep_history(struct run *run, int argc, char **argv)
{
    size_t used =
        (size_t)snprintf(run->history, sizeof run->history, "clump %s", run->command->name);
    for (int i = 0; i < argc && used + 2 < sizeof run->history; i++) {
        run->history[used++] = ' ';
        for (const char *c = argv[i]; *c && used + 1 < sizeof run->history; c++)
            run->history[used++] = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    run->history[used] = 0;
}

/* "R0:R1,C0:C1", where any number may be left out. */
static bool parse_crop(const char *text, struct clump_file_params *params)
{
    static const char ends[] = {':', ',', ':', '\0'};
    int64_t *const numbers[] = {&params->rows[0], &params->rows[1], &params->cols[0],
                                &params->cols[1]};
    for (int i = 0; i < 4; i++) {
        char *end = (char *)text;
        errno = 0;
        *numbers[i] = i % 2 ? INT64_MAX : 0;
        if (*text == '-' || (*text >= '0' && *text <= '9'))
            *numbers[i] = strtoll(text, &end, 10);
        if (errno || *end != ends[i])
            return false;
        text = end + (ends[i] != '\0');
    }
    params->crop = true;
    return true;
}

/* NULL where stdout may have the format of --format, else those that it may have. */
static const char *other_formats(const struct command *command)
{
    const char *formats = command->groups & COMMAND_DRAWS ? "npy|fits|tif|png|pdf|svg"
                                                          : "npy|fits|tif|png|csv|ecsv|vot|reg";
    size_t length = common.format ? strlen(common.format) : 0;
    for (const char *word = formats; common.format; word += strcspn(word, "|") + 1) {
        if (strcspn(word, "|") == length && !strncmp(word, common.format, length))
            return NULL;
        if (!strchr(word, '|'))
            return formats;
    }
    return NULL;
}

/* Whether the name of the first file says that a reader will be needed, which may as well start
 * while the device is opened. */
static bool needs_reader(const struct run *run)
{
    size_t length = run->count > 0 ? strlen(run->operands[0]) : 0;
    return length && (length < 4 || strcmp(run->operands[0] + length - 4, ".npy"));
}

bool run_parse_memory(const char *text, uint64_t *bytes)
{
    static const char letters[] = "KMGT";
    char *end = (char *)text;
    errno = 0;
    *bytes = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const char *letter = *end ? strchr(letters, *end & ~0x20) : NULL;
    unsigned shift = letter && *letter ? 10 * (unsigned)(letter - letters + 1) : 0;
    bool good = !errno && *bytes && end != text && (shift ? !end[1] : !*end);
    good = good && *bytes <= UINT64_MAX >> shift;
    *bytes <<= shift;
    return good;
}

/* Checks the operands and the options that commands share, and makes settings of them. Returns
 * EXIT_USAGE after one line. */
static int check_common(struct run *run)
{
    const struct command *command = run->command;
    if (run->count < command->least)
        return run_misuse(run, "nothing to work on: clump %s %s", command->name, command->usage);
    if (command->most >= 0 && run->count > command->most)
        return run_misuse(run, "'%s' is one too many: clump %s %s", run->operands[command->most],
                          command->name, command->usage);
    common.channel = channel_word >= 0;
    common.file.channel = channel_word == 9   ? CLUMP_FILE_CHANNEL_RGB
                          : channel_word == 8 ? CLUMP_FILE_CHANNEL_PALETTE
                          : channel_word < 0  ? CLUMP_FILE_CHANNEL_GREY
                                              : channel_word % 4;
    if (run_to_stdout(common.output) && common.json)
        return run_misuse(run, "--json and -o - both want stdout; use one");
    const char *formats = other_formats(command);
    if (formats)
        return run_misuse(run, "--format wants one of %s, not '%s'", formats, common.format);
    if (common.format && !run_to_stdout(common.output))
        return run_misuse(run, "--format is that of -o -; a file's format follows from its ending");
    if (common.crop && !parse_crop(common.crop, &common.file))
        return run_misuse(run,
                          "--crop %s: rows and columns are wanted, as in 300:800,0:500 or :,-20:",
                          common.crop);
    if (common.memory && !run_parse_memory(common.memory, &common.file.memory_limit))
        return run_misuse(run, "--memory-limit wants a size as 2000000000, 512M or 2G, not '%s'",
                          common.memory);
    run->log.level = common.quiet         ? CLUMP_LOG_ERROR
                     : common.verbose > 1 ? CLUMP_LOG_DEBUG
                     : common.verbose     ? CLUMP_LOG_INFO
                                          : CLUMP_LOG_WARNING;
    return EXIT_DONE;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    char who[64];
    snprintf(who, sizeof who, "clump %s", command->name);
    const struct option *const tables[] = {
        command->options ? command->options : no_options,
        command->groups & COMMAND_READS ? read_options : no_options,
        command->groups & COMMAND_WRITES ? write_options : no_options, common_options, NULL};
    struct run run = {.command = command, .operands = argv};
    run.log = (struct clump_log){.line = print_line, .user = &run};
    keep_history(&run, argc, argv);
    if (command->defaults)
        command->defaults();
    run.count = options_parse(who, tables, argc, argv);
    if (run.count < 0)
        return EXIT_USAGE;
    if (common.help) {
        print_command_help(command);
        return EXIT_DONE;
    }
    if (common.version) {
        print_version();
        return EXIT_DONE;
    }
    if (check_common(&run) != EXIT_DONE)
        return EXIT_USAGE;
    progress_start(!common.quiet);
    if (command->groups & COMMAND_READS && needs_reader(&run))
        clump_reader_expect((unsigned)run.count);
    run_time_begin(&run);
    int status = command->run(&run);
    if (status != EXIT_USAGE && !run.timed) { /* a command of another shape: all of it at once */
        json_t *unused = json_object();
        run_time_end(&run, unused);
        json_decref(unused);
    }
    progress_stop();
    ahead_end();
    clump_context_destroy(&run.context);
    return status;
}

static int unknown_command(const char *word)
{
    const char *words[COMMAND_COUNT + 1] = {0};
    for (int i = 0; i < COMMAND_COUNT; i++)
        words[i] = commands[i]->name;
    const char *near = options_nearest(word, words);
    char *shown = clump_shown_new(word, "");
    fprintf(stderr, "clump: unknown command '%s'%s%s%s (clump --help)\n", shown ? shown : "",
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(shown);
    return EXIT_USAGE;
}

static const struct command *find_command(const char *word)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, word))
            return commands[i];
    return NULL;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fputs("clump: no command given (clump --help)\n", stderr);
        return EXIT_USAGE;
    }
    bool help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help");
    const struct command *named = help && argc > 2 ? find_command(argv[2]) : NULL;
    if (help && argc > 2 && !named)
        return unknown_command(argv[2]);
    if (named)
        print_command_help(named);
    else if (help)
        print_help();
    else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
        print_version();
    else if ((named = find_command(argv[1])))
        return run_command(named, argc - 2, argv + 2);
    else
        return unknown_command(argv[1]);
    return EXIT_DONE;
}

/* Ctrl-C and its like: no half-written file stays behind. */
static void on_signal(int number)
{
    clump_file_cleanup();
    scratch_remove();
    signal(number, SIG_DFL);
    raise(number);
}

/* A file opened while a standard stream is closed would take that stream's place. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            exit(EXIT_FAILED);
}

static bool reader_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

/* What could not be printed is a failure, unless the reader had enough (`| head`). */
static int close_stdout(int status)
{
    bool failed = ferror(stdout);
    errno = 0;
    if ((!fflush(stdout) && !failed) || errno == EPIPE || reader_left())
        return status;
    fprintf(stderr, "clump: cannot write to stdout: %s\n", strerror(errno ? errno : EIO));
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    fill_standard_streams();
    ahead_prepare(argc, argv);
    common.file = clump_file_defaults;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file grown too large is an error of the write */
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signal(signals[i], on_signal) == SIG_IGN)
            signal(signals[i], SIG_IGN);
    return close_stdout(dispatch(argc, argv));
}
