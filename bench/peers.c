/* SPDX-License-Identifier: MIT */
/*
 * The peers' side of a run: a Python process that is told in lines of JSON what to load
 * and what to run, and answers in lines of JSON. Pictures go to it as .npy files.
 */
#include "bench.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRIPT        "serve.py"
#define SYSTEM_PYTHON "/usr/bin/python3"
#define DESCRIPTORS   8 /* that walking through the folder may keep open */

struct peers {
    const struct bench_settings *settings;
    pid_t process;
    FILE *ask, *answer;
    char folder[PATH_MAX]; /* for files, removed at the end */
};

static void say(const struct bench_settings *settings, enum clump_log_level level, const char *what)
{
    char text[PATH_MAX + 512];
    snprintf(text, sizeof text, "peers: %s", what);
    if (settings->log.line && level <= settings->log.level)
        settings->log.line(settings->log.user, level, text);
}

static void complain(const struct bench_settings *settings, const char *what)
{
    say(settings, CLUMP_LOG_ERROR, what);
}

/* Finds serve.py: $CLUMP_PEERS_DIR, the build tree, where it is installed. */
static bool find_script(char *path, size_t room)
{
    char program[PATH_MAX] = "";
    const char *given = getenv("CLUMP_PEERS_DIR");
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? strrchr(program, '/') : NULL;
    if (slash)
        *slash = 0;
    if (given && *given) {
        snprintf(path, room, "%s/" SCRIPT, given);
        return !access(path, R_OK);
    }
    snprintf(path, room, "%s/../../bench/peers/" SCRIPT, program);
    if (!access(path, R_OK))
        return true;
    snprintf(path, room, "%s/" SCRIPT, CLUMP_PEERS_DIR);
    return !access(path, R_OK);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Sends a request and waits for the answer: NULL after a complaint when there is none. */
static json_t *request(struct peers *peers, json_t *message)
{
    char *line = NULL;
    size_t room = 0;
    json_error_t error;
    json_t *answer = NULL;
    json_dumpf(message, peers->ask, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(message);
    fputc('\n', peers->ask);
    if (!fflush(peers->ask) && getline(&line, &room, peers->answer) > 0)
        answer = json_loads(line, 0, &error);
    free(line);
    const char *problem = answer ? text_of(answer, "error") : "the Python process has ended";
    if (!*problem)
        return answer;
    complain(peers->settings, problem);
    json_decref(answer);
    return NULL;
}

static bool spawn(struct peers *peers, const char *python, const char *script)
{
    int to[2], from[2];
    if (pipe(to))
        return false;
    if (pipe(from)) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    peers->process = fork();
    if (!peers->process) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execlp(python, python, script, (char *)NULL);
        dprintf(STDOUT_FILENO, "{\"error\": \"%s cannot be run\"}\n", python);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    peers->ask = fdopen(to[1], "w");
    peers->answer = fdopen(from[0], "r");
    return peers->process > 0 && peers->ask && peers->answer;
}

/*
 * Asks which Python it is and which packages it has, for the report. Where packages are missing, it
 * says which, unless `again`: then there is another Python to ask, and one without NumPy is passed
 * over in silence. `*any` becomes false where there are no peers then.
 */
static bool describe(struct peers *peers, const char *python, bool again,
                     struct bench_report *report, bool *any)
{
    char text[PATH_MAX + 256], *line = NULL;
    size_t room = 0;
    json_error_t error;
    json_t *found = NULL, *value;
    const char *key;
    bool good = true;
    fputs("{\"do\": \"describe\"}\n", peers->ask);
    fflush(peers->ask); /* a process that has ended already has left a line */
    if (getline(&line, &room, peers->answer) > 0)
        found = json_loads(line, 0, &error);
    free(line);
    const char *problem = found ? text_of(found, "error") : "it has ended at once";
    const char *missing = found ? text_of(found, "missing") : "";
    *any = found && json_object_get(found, "threads") && !*problem;
    if (*problem)
        snprintf(text, sizeof text, "%s: %s; none are timed", python, problem);
    else
        snprintf(text, sizeof text, "%s; %s", missing,
                 *any ? "the others are timed" : "none are timed");
    if ((*problem || *missing) && (*any || !again))
        say(peers->settings, CLUMP_LOG_WARNING, text);
    json_object_del(found, "missing"); /* what is left are versions */
    if (*any)
        json_object_foreach (found, key, value)
            good &= bench_add_fact(report, key, text_of(found, key));
    json_decref(found);
    return good;
}

/* Ends the process, which stops when there is nothing more to read. */
static void end_process(struct peers *peers)
{
    if (peers->ask)
        fclose(peers->ask);
    if (peers->answer)
        fclose(peers->answer);
    if (peers->process > 0)
        waitpid(peers->process, NULL, 0);
    peers->ask = peers->answer = NULL;
    peers->process = 0;
}

/*
 * Starts the Python that was asked for. Where none was, the first of PATH may be one of a user's
 * own without packages, so the system's is tried next. `*any`: it has peers.
 */
static enum clump_status start_python(struct peers *peers, const char *script,
                                      struct bench_report *report, bool *any)
{
    const char *pythons[] = {"python3", SYSTEM_PYTHON};
    size_t count = 2;
    if (peers->settings->python) {
        pythons[0] = peers->settings->python;
        count = 1;
    }
    for (size_t i = 0; i < count && !*any; i++) {
        end_process(peers);
        if (!spawn(peers, pythons[i], script)) {
            complain(peers->settings, "no process can be started");
            return CLUMP_ERROR_FILE;
        }
        if (!describe(peers, pythons[i], i + 1 < count, report, any))
            return CLUMP_ERROR_MEMORY;
    }
    return CLUMP_OK;
}

enum clump_status peers_start(const struct bench_settings *settings, struct bench_report *report,
                              struct peers **peers)
{
    bool any = false;
    char script[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    enum clump_status status = CLUMP_ERROR_FILE;
    struct peers *made = calloc(1, sizeof *made);
    if (!made)
        return CLUMP_ERROR_MEMORY;
    made->settings = settings;
    snprintf(made->folder, sizeof made->folder, "%s/clump-bench-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(made->folder)) {
        complain(settings, "no folder for files can be made; is $TMPDIR right?");
        free(made);
        return CLUMP_ERROR_FILE;
    }
    *peers = made;
    if (!find_script(script, sizeof script))
        complain(settings, SCRIPT " is missing; $CLUMP_PEERS_DIR may say where it is");
    else
        status = start_python(made, script, report, &any);
    if (status || !any) /* without peers the bench goes on */
        peers_stop(peers);
    return status;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    return place->level ? remove(path) : 0;
}

/* Removes whatever the folder holds. */
static void empty_folder(const struct peers *peers)
{
    nftw(peers->folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

void peers_stop(struct peers **peers)
{
    struct peers *old = *peers;
    if (!old)
        return;
    *peers = NULL;
    end_process(old);
    empty_folder(old);
    rmdir(old->folder);
    free(old);
}

static enum clump_status write_image(struct peers *peers, clump_context *context,
                                     const clump_image *image, const char *name)
{
    struct clump_file_write_params params = clump_file_write_defaults;
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s.npy", peers->folder, name);
    params.force = true;
    return clump_file_write(context, image, path, &params);
}

static enum clump_status write_list(struct peers *peers, clump_context *context, const char *name,
                                    const double *values, uint64_t count)
{
    clump_image *image;
    if (!count)
        return CLUMP_OK;
    enum clump_status status = clump_image_upload(context, CLUMP_F64, 1, count, values, &image);
    if (status)
        return status;
    status = write_image(peers, context, image, name);
    clump_image_destroy(&image);
    return status;
}

/* Writes the inputs of the case, and what the reference made of them. */
static enum clump_status hand_over(struct peers *peers, clump_context *context,
                                   const struct pair_input *in, const struct pair_output *out,
                                   json_t *numbers)
{
    char name[16];
    empty_folder(peers); /* of the last case */
    enum clump_status status = write_image(peers, context, in->image, "image");
    for (int i = 0; i < 3 && !status; i++) {
        snprintf(name, sizeof name, "extra%d", i);
        if (in->extra[i])
            status = write_image(peers, context, in->extra[i], name);
    }
    for (unsigned i = 0; i < out->image_count && !status; i++)
        status = write_image(peers, context, out->images[i].image, out->images[i].name);
    for (unsigned i = 0; i < out->list_count && !status; i++)
        status = write_list(peers, context, out->lists[i].name, out->lists[i].values,
                            out->lists[i].count);
    for (unsigned i = 0; i < out->number_count; i++)
        json_object_set_new(numbers, out->numbers[i].name, json_real(out->numbers[i].value));
    return status;
}

static enum bench_state state_of(const char *word)
{
    return !strcmp(word, "agrees")  ? BENCH_AGREES
           : !strcmp(word, "other") ? BENCH_OTHER
                                    : BENCH_DIFFERS;
}

static enum clump_status read_peers(const json_t *array, struct bench_report *report,
                                    struct bench_peer **list, size_t *count)
{
    size_t i;
    json_t *entry;
    *count = json_array_size(array);
    *list = calloc(*count + 1, sizeof **list);
    if (!*list)
        return CLUMP_ERROR_MEMORY;
    json_array_foreach (array, i, entry) {
        const json_t *goal = json_object_get(entry, "goal");
        (*list)[i] = (struct bench_peer){
            .name = bench_keep(report, text_of(entry, "name")),
            .package = bench_keep(report, text_of(entry, "package")),
            .threads = json_integer_value(json_object_get(entry, "threads")),
            .goal = json_is_number(goal) ? json_number_value(goal) : (double)NAN,
            .state = state_of(text_of(entry, "state")),
            .difference = bench_keep(report, text_of(entry, "difference")),
        };
    }
    return CLUMP_OK;
}

enum clump_status peers_load(struct peers *peers, const char *name, clump_context *reference,
                             const struct pair_input *in, const struct pair_output *out,
                             struct bench_report *report, struct bench_peer **list, size_t *count)
{
    json_t *numbers = json_object();
    peers->settings->tell("clump bench: %s on the peers", name);
    enum clump_status status = hand_over(peers, reference, in, out, numbers);
    if (status) {
        json_decref(numbers);
        return status;
    }
    json_t *answer = request(peers, json_pack("{s:s s:s s:s s:o}", "do", "load", "case", name,
                                              "folder", peers->folder, "numbers", numbers));
    if (!answer)
        return CLUMP_ERROR_FILE;
    status = read_peers(json_object_get(answer, "peers"), report, list, count);
    json_decref(answer);
    return status;
}

enum clump_status peers_run(struct peers *peers, size_t index, double ms, struct samples *wall,
                            struct samples *on_device)
{
    json_t *answer = request(peers, json_pack("{s:s s:I s:f}", "do", "run", "peer",
                                              (json_int_t)index, "ms", ms));
    if (!answer)
        return CLUMP_ERROR_FILE;
    size_t i;
    json_t *time;
    json_array_foreach (json_object_get(answer, "times"), i, time)
        samples_add(wall, json_number_value(time));
    json_array_foreach (json_object_get(answer, "device"), i, time)
        samples_add(on_device, json_number_value(time));
    json_decref(answer);
    return CLUMP_OK;
}
